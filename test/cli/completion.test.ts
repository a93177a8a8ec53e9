import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../../src/cli/cli.fixture.ts'
import { atTerminal, hasTerminal, isThere } from './terminal.fixture.ts'

/** What a person types before Tab, and the word that stands there afterwards. */
const presses: readonly [string, string][] = [
  ['guard jour', 'journal'],
  ['guard journal v', 'verify'],
  ['guard kill rel', 'release'],
  ['guard client add --name x --o', '--out'],
  ['guard --vers', '--version'],
  ['guard init --mode test', 'testnet'],
  ['guard run --log-format js', 'json'],
  ['guard completion fi', 'fish'],
  ['guard init --key-file /etc/pass', '/etc/passwd'],
]

const folder = mkdtempSync(join(tmpdir(), 'guard-completion-'))
const script = (shell: string): string => join(folder, shell)

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, out } = await ask(['completion', shell])
    expect(code).toBe(0)
    writeFileSync(script(shell), out)
  }
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const toStart = '\u0001'

/** Presses Tab after each text in a real shell, and has the shell itself write down its line. */
async function pressTabs(command: readonly string[], setUp: string): Promise<readonly string[]> {
  const said = (nth: number): string => join(folder, `said-${nth}`)
  const { text } = await atTerminal(command, [
    // In two parts, so that only the prompt itself reads as one word.
    ['', `${setUp}; PS1=rea''dy:\r`],
    ...presses.flatMap(
      ([typed], nth) =>
        [
          ['ready:', typed],
          ['', '\t'],
          ['', ` > ${said(nth)}${toStart}echo \r`],
        ] as const,
    ),
    ['ready:', 'exit\r'],
  ])
  return presses.map((_, nth) => {
    if (!existsSync(said(nth))) return text
    const line = readFileSync(said(nth), 'utf8')
    rmSync(said(nth))
    return line.trim()
  })
}

const wanted = presses.map(([typed, word]) => typed.replace(/\S*$/, word))
const hasBash = isThere('bash', '--version')
const hasZsh = isThere('zsh', '--version')
const hasFish = isThere('fish', '--version')

test.skipIf(!hasBash || !hasTerminal)('Tab in bash (skipped without bash or python3)', async () => {
  const setUp = `bind 'set enable-bracketed-paste off'; source ${script('bash')}`
  expect(await pressTabs(['bash', '--norc', '--noprofile', '-i'], setUp)).toEqual(wanted)
})

describe.skipIf(!hasZsh || !hasTerminal)('Tab in zsh (skipped without zsh or python3)', () => {
  // The keys of a plain zsh, whatever editor the environment names.
  const keys = 'bindkey -e; unset zle_bracketed_paste; autoload -U compinit'

  test('sourced', async () => {
    const setUp = `${keys}; compinit -u -D; source ${script('zsh')}`
    expect(await pressTabs(['zsh', '-f', '-i'], setUp)).toEqual(wanted)
  })

  test('from the function path, as the help says', async () => {
    cpSync(script('zsh'), join(folder, '_guard'))
    const setUp = `${keys}; fpath=(${folder} $fpath); compinit -u -D`
    expect(await pressTabs(['zsh', '-f', '-i'], setUp)).toEqual(wanted)
  })
})

describe.skipIf(!hasFish)('Tab in fish (skipped without fish)', () => {
  test.each(presses)('%s, Tab', (typed, word) => {
    // Fish answers what Tab would offer; a description may follow each word.
    const { stdout, stderr } = spawnSync(
      'fish',
      ['--no-config', '-c', `source ${script('fish')}; complete -C '${typed}'`],
      { encoding: 'utf8', env: { ...process.env, HOME: folder } },
    )
    expect(stderr).toBe('')
    const words = stdout.split('\n').map((line) => line.split('\t')[0])
    expect(words).toContain(word)
    // A path stands among others that begin alike; a word of Guard's stands alone.
    if (!word.startsWith('/')) expect(words.filter((each) => each !== '')).toEqual([word])
  })
})
