import { Argument } from 'commander'
import type { Command } from 'commander'
import { teach, withUnused } from '../commonOptions.ts'
import type { Terminal } from '../terminal.ts'

type Shell = 'bash' | 'zsh' | 'fish'

export function completionCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('completion')
    .description('shell completion for commands and their flags')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: Shell) => {
      terminal.out(scripts[shell](linesOf(program)))
    })
  teach(
    withUnused(command, '--home <dir>', '--json'),
    [
      'guard completion bash > ~/.local/share/bash-completion/completions/guard',
      'guard completion zsh > "${fpath[1]}/_guard"',
      'guard completion fish > ~/.config/fish/completions/guard.fish',
    ],
    'start a new shell and press Tab after "guard "',
  )
}

/** One line of words for each command: its path, then what may follow it. */
interface Line {
  readonly path: string
  readonly words: readonly string[]
}

function linesOf(command: Command, path = ''): Line[] {
  const children = command.commands.filter((child) => child.name() !== 'help')
  const flags = command.options.flatMap((option) =>
    option.long === undefined || option.hidden ? [] : [option.long],
  )
  const words = [...children.map((child) => child.name()), ...flags, '--help']
  return [
    { path, words },
    ...children.flatMap((child) =>
      linesOf(child, path === '' ? child.name() : `${path} ${child.name()}`),
    ),
  ]
}

/** The paths that exist, as a shell pattern: a flag's value is no part of one. */
function patternOf(lines: readonly Line[]): string {
  return lines
    .filter(({ path }) => path !== '')
    .map(({ path }) => `"${path}"`)
    .join('|')
}

const scripts: Record<Shell, (lines: readonly Line[]) => string> = {
  bash: (lines) => `_guard() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in ${patternOf(lines)}) path="\${path:+$path }$word" ;; esac
  done
  local words=""
  case "$path" in
${lines.map(({ path, words }) => `    "${path}") words="${words.join(' ')}" ;;`).join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o default -F _guard guard
`,
  zsh: (lines) => `#compdef guard
_guard() {
  local path_ word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${path_:+$path_ }$word" in ${patternOf(lines)}) path_="\${path_:+$path_ }$word" ;; esac
  done
  case "$path_" in
${lines.map(({ path, words }) => `    "${path}") compadd -- ${words.join(' ')} ;;`).join('\n')}
    *) _files ;;
  esac
}
_guard "$@"
`,
  fish: (lines) =>
    `${lines
      .flatMap(({ path, words }) =>
        words.map((word) => {
          const when = path === '' ? '__fish_use_subcommand' : `__guard_at ${path}`
          return word.startsWith('--')
            ? `complete -c guard -n '${when}' -l ${word.slice(2)}`
            : `complete -c guard -f -n '${when}' -a ${word}`
        }),
      )
      .join('\n')}
function __guard_at
  set -l path
  for word in (commandline -opc)[2..]
    contains -- (string join ' ' $path $word) ${lines
      .filter(({ path }) => path !== '')
      .map(({ path }) => `'${path}'`)
      .join(' ')}; and set -a path $word
  end
  test "$path" = "$argv"
end
`,
}
