import { limits } from '../../core/values/limits.ts'
/** A small Prometheus registry: counters, gauges and histograms, in the text format 0.0.4. */

type Labels = Readonly<Record<string, string>>
type MetricType = 'counter' | 'gauge' | 'histogram'

export interface Counter {
  add(labels: Labels, by?: number): void
}
export interface Gauge {
  set(labels: Labels, value: number): void
  /** Forgets every series, for gauges whose labels come and go. */
  reset(): void
}
export interface Histogram {
  observe(labels: Labels, value: number): void
}

interface Family {
  readonly name: string
  readonly type: MetricType
  readonly help: string
  lines(): string[]
}

interface MetricInfo {
  readonly name: string
  readonly type: MetricType
  readonly help: string
}

/** Beyond this many label sets a family stops growing: labels never come from a request unchecked. */
export const seriesMax = limits.metricSeriesMax

export class Registry {
  readonly #families = new Map<string, Family>()

  counter(name: string, help: string): Counter {
    const series = this.#scalar(name, 'counter', help)
    return {
      add: (labels, by = 1) => {
        const entry = series.entry(labels)
        if (entry) entry.value += by
      },
    }
  }

  gauge(name: string, help: string): Gauge {
    const series = this.#scalar(name, 'gauge', help)
    return {
      set: (labels, value) => {
        const entry = series.entry(labels)
        if (entry) entry.value = value
      },
      reset: () => {
        series.clear()
      },
    }
  }

  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    const series = new SeriesMap(() => ({
      counts: new Array<number>(bounds.length).fill(0),
      sum: 0,
      count: 0,
    }))
    this.#add({
      name,
      type: 'histogram',
      help,
      lines: () =>
        series.map((labels, { counts, sum, count }) => [
          ...bounds.map((bound, index) =>
            line(`${name}_bucket`, { ...labels, le: format(bound) }, counts[index] ?? 0),
          ),
          line(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
          line(`${name}_sum`, labels, sum),
          line(`${name}_count`, labels, count),
        ]),
    })
    return {
      observe: (labels, value) => {
        const entry = series.entry(labels)
        if (!entry) return
        entry.sum += value
        entry.count += 1
        for (let index = bounds.length - 1; index >= 0; index -= 1) {
          if (value > (bounds[index] ?? 0)) break
          entry.counts[index] = (entry.counts[index] ?? 0) + 1
        }
      },
    }
  }

  /** What is registered, for documentation and for checking dashboards and rules against it. */
  list(): readonly MetricInfo[] {
    return [...this.#families.values()].map(({ name, type, help }) => ({ name, type, help }))
  }

  text(): string {
    return [...this.#families.values()]
      .map(({ name, type, help, lines }) =>
        [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...lines(), ''].join('\n'),
      )
      .join('')
  }

  #scalar(name: string, type: 'counter' | 'gauge', help: string): SeriesMap<{ value: number }> {
    const series = new SeriesMap(() => ({ value: 0 }))
    this.#add({
      name,
      type,
      help,
      lines: () => series.map((labels, { value }) => [line(name, labels, value)]),
    })
    return series
  }

  #add(family: Family): void {
    if (this.#families.has(family.name)) throw new TypeError(`${family.name} exists already`)
    this.#families.set(family.name, family)
  }
}

class SeriesMap<T> {
  readonly #entries = new Map<string, { readonly labels: Labels; readonly entry: T }>()
  readonly #make: () => T

  constructor(make: () => T) {
    this.#make = make
  }

  entry(labels: Labels): T | null {
    let key = ''
    for (const name in labels) key += `${name}=${labels[name] ?? ''},`
    const known = this.#entries.get(key)
    if (known) return known.entry
    if (this.#entries.size >= seriesMax) return null
    const entry = this.#make()
    this.#entries.set(key, { labels, entry })
    return entry
  }

  map(render: (labels: Labels, entry: T) => string[]): string[] {
    return [...this.#entries.values()].flatMap(({ labels, entry }) => render(labels, entry))
  }

  clear(): void {
    this.#entries.clear()
  }
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${format(value)}`
}

function format(value: number): string {
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  return String(value)
}

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
