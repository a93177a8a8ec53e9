import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const script = resolve(import.meta.dirname, '..', 'scripts', 'house.mjs')
const folder = mkdtempSync(join(tmpdir(), 'guard-house-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('no circles, no dead exports, no unused files or packages, nothing written twice', () => {
  expect(findings(resolve(import.meta.dirname, '..'))).toEqual([])
})

/** What the script finds in the project at `root`, a line each. */
function findings(root: string): string[] {
  const { stdout, status } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' })
  const lines = stdout.trim().split('\n').slice(0, -1)
  expect(status).toBe(lines.length === 0 ? 0 : 1)
  return lines
}

/** A project of these files, with `main.ts` as its program. */
function project(name: string, files: Readonly<Record<string, string>>, own: object = {}): string {
  const root = join(folder, name)
  const all = { 'src/cli/main.ts': "import './a.ts'\n", 'src/cli/a.ts': '', ...files }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  writeFileSync(join(root, 'package.json'), JSON.stringify(own))
  return root
}

const dozen = Array.from({ length: 13 }, (_, at) => `Part${at}`)
const parts = dozen.map((name) => `export class ${name} {}`).join('\n')
const crowded = [
  `import { ${dozen.join(', ')} } from './b.ts'`,
  'class Whole {',
  ...dozen.slice(1).map((name, at) => `  readonly #part${at} = new ${name}()`),
  '  constructor(part: Part0) {',
  '    console.log(part)',
  '  }',
  '}',
  'new Whole()',
]

const long = Array.from({ length: 40 }, (_, at) => `const value${at} = call(${at})`).join('\n')

test.each<[string, Readonly<Record<string, string>>, object, readonly string[]]>([
  ['in order', {}, {}, []],
  [
    'a circle',
    { 'src/cli/a.ts': "import './b.ts'\n", 'src/cli/b.ts': "import './a.ts'\n" },
    {},
    ['circle: src/cli/a.ts, src/cli/b.ts'],
  ],
  [
    'an export that nobody takes',
    { 'src/cli/a.ts': '/** export const below */\nexport const above = 1\n' },
    {},
    ['export: src/cli/a.ts: above is taken by no other file'],
  ],
  ['a file', { 'src/cli/b.ts': '' }, {}, ['file: src/cli/b.ts is reached by nothing']],
  ['a package', {}, { dependencies: { left: '1' } }, ['package: left is needed by nothing']],
  [
    'a class that knows too many',
    { 'src/cli/a.ts': `${crowded.join('\n')}\n`, 'src/cli/b.ts': `${parts}\n` },
    {},
    [`class: src/cli/a.ts: Whole knows 13 others: ${[...dozen.slice(1), 'Part0'].join(', ')}`],
  ],
  [
    'a class that knows twelve',
    {
      'src/cli/a.ts': `${crowded.filter((line) => !line.includes('#part3 ')).join('\n')}\nPart4\n`,
      'src/cli/b.ts': `${parts}\n`,
    },
    {},
    [],
  ],
  [
    'the same twice',
    { 'src/cli/a.ts': `import './b.ts'\n${long}\n`, 'src/cli/b.ts': `${long}\n` },
    {},
    ['twice: src/cli/b.ts:1 and src/cli/a.ts:2'],
  ],
])('finds: %s', (name, files, own, expected) => {
  const found = findings(project(name.replaceAll(' ', '-'), files, own))
  expect(found.slice(0, expected.length)).toEqual(expected)
  expect(found.length === 0).toBe(expected.length === 0)
})
