import { Argument } from 'commander'
import type { Command } from 'commander'
import { teach, withJson, withUnused } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

type Shell = 'bash' | 'zsh' | 'fish'

export function completionCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('completion')
    .description('shell completion for commands and their flags')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: Shell, options: CommonOptions) => {
      const script = scripts[shell](linesOf(program))
      if (options.json === true) printJson(terminal, { shell, script })
      else terminal.out(script)
    })
  teach(
    withUnused(withJson(command), '--home <dir>'),
    [
      'guard completion bash > ~/.local/share/bash-completion/completions/guard',
      'guard completion zsh > "${fpath[1]}/_guard"',
      'guard completion fish > ~/.config/fish/completions/guard.fish',
    ],
    'start a new shell and press Tab after "guard "',
  )
}

/** What may follow a command: words, and after a flag that takes a value, the values. */
interface Line {
  readonly path: string
  readonly words: readonly string[]
  /** Flags that take a value; without choices it is a file or free text. */
  readonly valued: readonly { readonly flag: string; readonly choices: readonly string[] }[]
}

function linesOf(command: Command, path = ''): Line[] {
  const children = command.commands.filter((child) => child.name() !== 'help')
  const options = command.options.flatMap((option) =>
    option.long === undefined || option.hidden ? [] : [{ ...option, flag: option.long }],
  )
  const choices = command.registeredArguments.flatMap((each) => each.argChoices ?? [])
  const names = children.map((child) => child.name())
  const line = {
    path,
    words: [...names, ...choices, ...options.map(({ flag }) => flag), '--help'],
    valued: options
      .filter(({ required, optional }) => required || optional)
      .map(({ flag, argChoices = [] }) => ({ flag, choices: argChoices })),
  }
  return [
    line,
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

/** A branch for each flag whose values are known, and one for all that take a file or free text. */
function valueBranches(
  lines: readonly Line[],
  known: (choices: readonly string[]) => string,
  free: string,
): string {
  const flags = lines.flatMap(({ path, valued }) =>
    valued.map(({ flag, choices }) => ({ pattern: `"${path} ${flag}"`, choices })),
  )
  const isFree = ({ choices }: { readonly choices: readonly string[] }): boolean =>
    choices.length === 0
  const named = flags.filter((each) => !isFree(each))
  const others = flags.filter(isFree).map(({ pattern }) => pattern)
  return [
    ...named.map(({ pattern, choices }) => `    ${pattern}) ${known(choices)} ;;`),
    `    ${others.join('|')}) ${free} ;;`,
  ].join('\n')
}

const scripts: Record<Shell, (lines: readonly Line[]) => string> = {
  bash: (lines) => `_guard() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in ${patternOf(lines)}) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${lines.map(({ path, words }) => `    "${path}") words="${words.join(' ')}" ;;`).join('\n')}
  esac
  case "$path $prev" in
${valueBranches(lines, (choices) => `words="${choices.join(' ')}"`, 'words=""')}
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
  case "$path_ \${words[CURRENT-1]}" in
${valueBranches(lines, (choices) => `compadd -- ${choices.join(' ')}; return`, '_files; return')}
  esac
  case "$path_" in
${lines.map(({ path, words }) => `    "${path}") compadd -- ${words.join(' ')} || _files ;;`).join('\n')}
    *) _files ;;
  esac
}
# Loaded from fpath it is the completion itself; sourced, it registers itself.
if [[ "\${funcstack[1]}" == _guard ]]; then _guard "$@"; else compdef _guard guard; fi
`,
  fish: (lines) => `function __guard_at
  set -l path
  for word in (commandline -opc)[2..]
    contains -- (string join -- ' ' $path $word) ${lines
      .filter(({ path }) => path !== '')
      .map(({ path }) => `'${path}'`)
      .join(' ')}; and set -a path $word
  end
  test "$path" = "$argv"
end
${lines.flatMap(fishLines).join('\n')}
`,
}

function fishLines({ path, words, valued }: Line): string[] {
  const when = path === '' ? '__fish_use_subcommand' : `__guard_at ${path}`
  return words.map((word) => {
    if (!word.startsWith('--')) return `complete -c guard -f -n '${when}' -a ${word}`
    const flag = `complete -c guard -n '${when}' -l ${word.slice(2)}`
    const value = valued.find((each) => each.flag === word)
    if (value === undefined) return flag
    const { choices } = value
    return choices.length === 0 ? `${flag} -r -F` : `${flag} -x -a '${choices.join(' ')}'`
  })
}
