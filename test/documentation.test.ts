import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parse } from 'smol-toml'
import type { Command } from 'commander'
import { beforeAll, describe, expect, test } from 'vitest'
import { labCommands } from '../lab/commands/labCommands.ts'
import { createProgram } from '../src/cli/program.ts'
import { processTerminal } from '../src/cli/terminal.ts'
import { guardTomlSchema } from '../src/config/guardToml.ts'
import { built, buildTimeoutMs, Started } from './cli/program.fixture.ts'

const root = resolve(import.meta.dirname, '..')
const skipped = new Set(['node_modules', 'dist', 'coverage', '.git', '.venv', 'tmp'])

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return pagesIn(path)
    return entry.name.endsWith('.md') ? [relative(root, path)] : []
  })
}

const pages = pagesIn(root)
const text = (page: string): string => readFileSync(join(root, page), 'utf8')

test.each(pages)('every relative link of %s leads somewhere', (page) => {
  const links = [...text(page).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '')
  const broken = links
    .filter((link) => !/^(https?:|mailto:|#)/.test(link))
    .filter((link) => !existsSync(resolve(root, dirname(page), link.split('#')[0] ?? '')))
  expect(broken).toEqual([])
})

test.each(pages)('every file that %s names is there', (page) => {
  const named = text(page).matchAll(
    /`((?:src|lab|test|scripts|docs|deploy|examples)\/[\w/.-]*\w)`/g,
  )
  const missing = [...named]
    .map(([, path = '']) => path)
    .filter((path) => !existsSync(join(root, path)))
  expect(missing).toEqual([])
})

/** The flags of a command by its path; null where there is no such command. */
function flagsOf(words: readonly string[]): readonly string[] | null {
  let command: Command = createProgram(processTerminal, labCommands)
  let depth = 0
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) break
    command = next
    depth += 1
  }
  if (depth === 0) return null
  return [...command.options.flatMap(({ long }) => (long === undefined ? [] : [long])), '--help']
}

test.each(pages)('every guard command in %s exists, with its flags', (page) => {
  const code = [...text(page).matchAll(/```[^]*?```|`[^`\n]+`/g)].map(([block]) => block)
  const calls = code.flatMap((block) => [
    ...block.matchAll(/(?<![\w./-])(?:npx |\.\/bin\/)?guard ((?:[a-z]+)(?: [^\n`|#]*)?)/g),
  ])
  const wrong = calls.flatMap(([all, rest = '']) => {
    const words = rest.split(/\s+/)
    const flags = flagsOf(words)
    if (flags === null) return [`${all}: no such command`]
    const given = words.flatMap((word) => /^--[a-z][a-z-]*/.exec(word)?.[0] ?? [])
    return given.filter((flag) => !flags.includes(flag)).map((flag) => `${all}: no ${flag}`)
  })
  expect(wrong).toEqual([])
})

test('every key of guard.toml is in docs/operating.md', () => {
  const page = text('docs/operating.md')
  const shape = guardTomlSchema.shape
  const nested = (['venue', 'key', 'host', 'fleet'] as const).flatMap((name) => {
    const inner = shape[name].def.innerType
    return Object.keys(inner.shape).map((key) => `\`${name}.${key}\``)
  })
  const tables = new Set([
    'venue',
    'key',
    'host',
    'fleet',
    'clients',
    'rules',
    'market',
    'client',
    'alerts',
  ])
  const plain = Object.keys(shape).filter((key) => !tables.has(key))
  const missing = [...nested, ...plain.map((key) => `\`${key}\``)].filter(
    (key) => !page.includes(key),
  )
  expect(missing).toEqual([])
})

test('the service and the container files are what they say', () => {
  const unit = text('deploy/systemd/guard.service')
  for (const line of [
    'Type=notify',
    'WatchdogSec=',
    'LoadCredentialEncrypted=',
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'LimitCORE=0',
  ]) {
    expect(unit).toContain(line)
  }
  const docker = text('deploy/Dockerfile')
  const lines = docker.split('\n')
  expect(
    lines.filter((line) => /^FROM /.test(line)).every((line) => /^FROM \S+:\S+\.\S+/.test(line)),
  ).toBe(true)
  expect(lines.some((line) => /^(ADD|.*:latest|.*curl |.*sudo )/.test(line))).toBe(false)
  expect(lines.lastIndexOf('USER 10001:10001')).toBeLessThan(
    lines.findIndex((line) => line.startsWith('ENTRYPOINT')),
  )
  expect(docker).toContain('HEALTHCHECK')
  const copied = lines.flatMap(
    (line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? [],
  )
  for (const file of copied) expect(existsSync(join(root, file)), file).toBe(true)
})

describe('the README', () => {
  beforeAll(built, buildTimeoutMs)

  test('has the two commands, and npm start is the demo they promise', async () => {
    const readme = text('README.md')
    expect(readme).toContain('\nnpm ci && npm start\n')
    expect(readme).toContain('\nnpm ci && npm test\n')
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> }
    const start = scripts['start'] ?? ''
    expect(start).toBe('node bin/guard demo')
    const demo = new Started([
      ...start.split(' ').slice(2),
      '--port',
      '0',
      '--sim-port',
      '0',
      '--speed',
      '20',
    ])
    await demo.until(
      /resize \[resized\][^]*allow {2}\[allowed\][^]*veto {3}\[[^]*protect SOL[^]*flatten daily loss stop/,
    )
    const [, page = ''] = await demo.until(/monitor page +(http:\S+)/)
    expect((await fetch(page)).status).toBe(200)
    demo.signal('SIGINT')
    expect(await demo.ended).toBe(0)
  })
})

test('the example of guard.toml in docs/rules.md is one', () => {
  const [, toml = ''] = /```toml\n([^]*?)```/.exec(text('docs/rules.md')) ?? []
  expect(Object.keys(parse(toml))).toEqual(['rules', 'market', 'client'])
  expect(statSync(join(root, 'docs/rules.md')).size).toBeGreaterThan(0)
})
