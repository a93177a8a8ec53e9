import { beforeAll, describe, expect, test } from 'vitest'
import { flameGraph } from './flameGraph.ts'
import { spreadOf } from './quantiles.ts'
import { reportMarkdown } from './report.ts'
import type { BenchReport } from './report.ts'
import { startHere } from './roles/startRole.ts'
import { parts, runBench } from './runBench.ts'
import { kinds } from './soak/hostileCrowd.ts'
import type { Tally } from './soak/hostileCrowd.ts'

describe('the whole benchmark, with the smallest counts', () => {
  const told: string[] = []
  let report: BenchReport
  let picture = ''

  beforeAll(async () => {
    report = await runBench({
      ...{ size: 'tiny', only: null, requests: null, perSecond: null },
      ...{ command: 'guard bench', startRole: startHere },
      progress: (text) => told.push(text),
      picture: (svg) => {
        picture = svg
      },
    })
  }, 240_000)

  test('every part reports in order, after the machine itself', () => {
    expect(report.parts.map(({ name }) => name)).toEqual(['machine', ...Object.keys(parts)])
    for (const name of Object.keys(parts)) {
      expect(told.some((text) => text.startsWith(`measuring ${name} `))).toBe(true)
    }
  })

  test('every row has a cell for each column', () => {
    for (const { tables } of report.parts) {
      for (const { columns, rows } of tables) {
        expect(rows.length).toBeGreaterThan(0)
        for (const row of rows) expect(row.length).toBe(columns.length)
      }
    }
  })

  test('every bar of the benchmark is answered', () => {
    const names = report.parts.flatMap(({ bars }) => bars.map(({ name }) => name))
    for (const about of ['allowed order', 'durable orders', 'p99', 'judge', 'entries a minute']) {
      expect(names.some((name) => name.includes(about))).toBe(true)
    }
    for (const about of [
      'honest orders',
      'resident memory',
      'journal of refusals',
      'let through',
    ]) {
      expect(names.some((name) => name.includes(about))).toBe(true)
    }
    for (const about of ['request weight on three', 'judge, a market of a builder dex']) {
      expect(names.some((name) => name.includes(about))).toBe(true)
    }
    for (const about of ['lookup', 'start-up', 'memory', 'kill', 'covered', 'reads hanging']) {
      expect(names.some((name) => name.includes(about))).toBe(true)
    }
  })

  test('the soak sends hostile requests of every kind, and none is let through', () => {
    const soak = report.parts.find(({ name }) => name === 'soak')
    const { tally } = soak?.figures as unknown as { readonly tally: Tally }
    expect(Object.keys(tally.sent).sort()).toEqual(kinds.map(({ name }) => name).sort())
    expect(tally).toMatchObject({ cutOff: 0, breaches: [] })
  })

  test('the page says how it was made, and nothing of the machine but its kind', () => {
    const page = reportMarkdown(report)
    expect(page).toContain('`guard bench`')
    for (const { title } of report.parts) expect(page).toContain(`## ${title}`)
    expect(page).not.toContain(process.cwd())
    expect(page).not.toMatch(/127\.0\.0\.1|\/tmp\//)
  })

  test('the figures are plain JSON, and the picture is drawn', () => {
    expect(JSON.parse(JSON.stringify(report.parts))).toEqual(report.parts)
    expect(picture).toMatch(/^<svg [^]*<\/svg>\n$/)
  })
})

test.each([
  [[5], { count: 1, p50: 5, p90: 5, p99: 5 }],
  [[4, 1, 3, 2], { count: 4, p50: 3, p90: 4, p99: 4 }],
  [Array.from({ length: 100 }, (_, n) => n), { count: 100, p50: 50, p90: 90, p99: 99 }],
])('the spread of %j', (times, spread) => {
  expect(spreadOf(times)).toEqual(spread)
})

test('a flame graph gives each function its share and leaves idle time out', () => {
  const frame = (functionName: string) => ({ functionName, url: '' })
  const svg = flameGraph(
    {
      nodes: [
        { id: 1, callFrame: frame('(root)'), children: [2, 4] },
        { id: 2, callFrame: frame('judge'), children: [3] },
        { id: 3, callFrame: frame('a<b>') },
        { id: 4, callFrame: frame('(idle)') },
      ],
      samples: [2, 3, 4],
      timeDeltas: [300, 100, 9_000],
    },
    'title',
  )
  expect(svg).toContain('<title>judge: 100.0%</title>')
  expect(svg).toContain('<title>a&lt;b&gt;: 25.0%</title>')
  expect(svg).not.toContain('idle')
})
