import type { Json } from '../../src/core/protocol/action.ts'

/** One bar of the benchmark: what is wanted, what was found. */
export interface Bar {
  readonly name: string
  readonly wanted: string
  readonly found: string
  /** Null when this run could not tell. */
  readonly isMet: boolean | null
  /** Where it is missed, the whole run has failed. */
  readonly isBound?: true
}

export interface Table {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** What one part of the benchmark found: for people, for programs, and against the bars. */
export interface PartReport {
  readonly name: string
  readonly title: string
  readonly notes: readonly string[]
  readonly tables: readonly Table[]
  readonly bars: readonly Bar[]
  readonly figures: Json
}

export interface BenchReport {
  readonly command: string
  readonly cores: number
  readonly node: string
  readonly platform: string
  readonly minutes: number
  readonly parts: readonly PartReport[]
}

export function bar(name: string, wanted: string, found: string, isMet: boolean | null): Bar {
  return { name, wanted, found, isMet }
}

/** A bar that no machine may miss, however slow it is. */
export function bound(name: string, wanted: string, found: string, isMet: boolean | null): Bar {
  return { ...bar(name, wanted, found, isMet), isBound: true }
}

/** A sentence for each bound that the run has broken: its name, what was found and what was wanted. */
export function brokenBounds({ parts }: Pick<BenchReport, 'parts'>): readonly string[] {
  return parts
    .flatMap(({ bars }) => bars)
    .filter(({ isBound, isMet }) => isBound === true && isMet === false)
    .map(({ name, wanted, found }) => `${name}: ${found} (wanted ${wanted})`)
}

/** The page docs/benchmarks.md. */
export function reportMarkdown(report: BenchReport): string {
  const { command, cores, node, platform, minutes, parts } = report
  const bars = parts.flatMap((part) => part.bars)
  return [
    '# Benchmarks',
    '',
    `Made by \`${command}\` in ${minutes.toFixed(1)} minutes on ${cores} cores (${platform}, Node ${node}), ` +
      'bots, Guard and the venue simulator all on the same machine, each in a process of its own. ' +
      'Times vary from machine to machine; ratios hold better. Everything that is compared was ' +
      'measured in turns within this one run.',
    '',
    '## Bars',
    '',
    ...markdownTable({
      title: '',
      columns: ['bar', 'wanted', 'found', ''],
      rows: bars.map(({ name, wanted, found, isMet }) => [name, wanted, found, word(isMet)]),
    }),
    ...parts.flatMap(partMarkdown),
  ].join('\n')
}

function partMarkdown(part: PartReport): string[] {
  return [
    `## ${part.title}`,
    '',
    ...part.notes.flatMap((note) => [note, '']),
    ...part.tables.flatMap((table) => [
      ...(table.title === '' ? [] : [`**${table.title}**`, '']),
      ...markdownTable(table),
    ]),
  ]
}

/** Padded as prettier pads it. */
function markdownTable({ columns, rows }: Table): string[] {
  const widths = columns.map((name, at) =>
    Math.max(3, name.length, ...rows.map((row) => row[at]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line), '']
}

/** A part as it is printed while the run goes on. */
export function partText(part: PartReport): string {
  const tables = part.tables.flatMap(({ title, columns, rows }) => {
    const all = [columns, ...rows]
    const widths = columns.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)))
    const lines = all.map((row) =>
      row.map((cell, at) =>
        at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
      ),
    )
    return [...(title === '' ? [] : [title]), ...lines.map((cells) => `  ${cells.join('  ')}`)]
  })
  const bars = part.bars.map(
    ({ name, wanted, found, isMet }) => `  [${word(isMet)}] ${name}: ${found} (wanted ${wanted})`,
  )
  return [part.title, ...tables, ...bars, ''].join('\n')
}

function word(isMet: boolean | null): string {
  return isMet === null ? 'not measured' : isMet ? 'met' : 'missed'
}

export function ms(value: number): string {
  return `${value.toPrecision(3)} ms`
}

export function times(value: number): string {
  if (Number.isNaN(value)) return 'not measured'
  return `${value.toFixed(value < 10 ? 2 : 1)}x`
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
