import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { forDrawing, money, percent } from './format.ts'
import { equityCurve, status } from './store.ts'

const height = 220

/** Equity over the day, with the lines at which everything is closed. */
export function EquityChart() {
  const risk = status.value?.risk
  const change = risk === undefined ? null : changeOf(risk.equity, risk.day_start_equity)
  const isUnknown = (risk?.equity ?? null) === null
  const isEmpty = equityCurve.value.length === 0 && isUnknown
  return (
    <section class="card equity" aria-labelledby="equity-title">
      <div class="card-head">
        <h2 id="equity-title">Equity</h2>
        <p class="figure">
          {isUnknown ? <small>not known yet</small> : <b>{money(risk?.equity ?? null)}</b>}
          {change === null ? null : (
            <span class={change.isDown ? 'down' : 'up'}>
              {change.text} <small>today</small>
            </span>
          )}
        </p>
      </div>
      {isEmpty ? (
        <p class="empty chart-empty">Drawn once Guard has seen the account.</p>
      ) : (
        <Chart />
      )}
      {isEmpty ? null : (
        <p class="legend">
          <span class="key equity-key">equity</span>
          <span class="key day-key">daily loss stop {money(haltLine('day'))}</span>
          <span class="key peak-key">drawdown halt {money(haltLine('peak'))}</span>
          <span>times in UTC</span>
        </p>
      )}
    </section>
  )
}

function Chart() {
  const holder = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  useEffect(() => {
    const element = holder.current
    if (element === null) return undefined
    const made = new uPlot(optionsFor(element), [[], [], [], []], element)
    chart.current = made
    const observer = new ResizeObserver(() => {
      made.setSize({ width: element.clientWidth, height })
    })
    observer.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const redraw = (): void => {
      made.redraw()
    }
    scheme.addEventListener('change', redraw)
    return () => {
      observer.disconnect()
      scheme.removeEventListener('change', redraw)
      made.destroy()
    }
  }, [])
  const curve = withLivePoint()
  const day = haltLine('day')
  const peak = haltLine('peak')
  useEffect(() => {
    const times = curve.map(([at]) => at / 1_000)
    const line = (value: string | null): (number | null)[] =>
      times.map(() => (value === null ? null : forDrawing(value)))
    chart.current?.setData([
      times,
      curve.map(([, equity]) => forDrawing(equity)),
      line(day),
      line(peak),
    ])
  }, [curve, day, peak])
  const label = `Equity ${money(curve.at(-1)?.[1] ?? null)}, daily loss stop at ${money(day)}, drawdown halt at ${money(peak)}`
  return <div ref={holder} class="chart" role="img" aria-label={label} />
}

/** The samples, and where the equity is now. */
function withLivePoint(): readonly (readonly [number, string])[] {
  const curve = equityCurve.value
  const view = status.value
  if (view === null || view.risk.equity === null) return curve
  const isNew = view.now_ms > (curve.at(-1)?.[0] ?? 0)
  return isNew ? [...curve, [view.now_ms, view.risk.equity] as const] : curve
}

function colour(name: string): () => string {
  return () => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

/** Seconds between two marks on the time axis: nothing finer than a label can say. */
const timeSteps = [
  1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 14_400, 21_600, 43_200,
]

function optionsFor(element: HTMLElement): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
    font: '12px system-ui, sans-serif',
  }
  return {
    width: element.clientWidth,
    height,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: { y: { range: (chart) => rangeOf(chart) } },
    axes: [
      { ...axis, space: 84, incrs: timeSteps, values: (_chart, ticks) => timesOf(ticks) },
      {
        ...axis,
        size: (_chart, labels) => axisWidth(labels),
        values: (_chart, ticks) => ticks.map((tick) => money(tick.toFixed(2)).replace(/\.00$/, '')),
      },
    ],
    series: [
      {},
      {
        stroke: colour('--accent'),
        width: 2,
        fill: colour('--accent-soft'),
        points: { show: false },
      },
      { stroke: colour('--warn'), width: 1.5, dash: [6, 4], points: { show: false } },
      { stroke: colour('--bad'), width: 1.5, dash: [2, 4], points: { show: false } },
    ],
  }
}

/** Room for the longest label, so that none loses its first digits. */
function axisWidth(labels: readonly string[] | null): number {
  const longest = Math.max(0, ...(labels ?? []).map((label) => label.length))
  return Math.max(56, 22 + longest * 7.5)
}

/** UTC, as everything Guard shows; with seconds where minutes would repeat themselves. */
function timesOf(ticks: readonly number[]): string[] {
  const isClose = (ticks[1] ?? 0) - (ticks[0] ?? 0) < 60
  return ticks.map((tick) => new Date(tick * 1_000).toISOString().slice(11, isClose ? 19 : 16))
}

/**
 * Equity and the nearer halt line fill the chart. A line far below would press the curve flat; it
 * comes into view when the equity comes near it.
 */
function rangeOf(chart: uPlot): [number, number] {
  const [, equity = [], day = [], peak = []] = chart.data
  const seen = equity.filter((value) => value != null)
  const halts = [day.at(-1), peak.at(-1)].filter((value) => value != null)
  if (seen.length === 0) return [0, 1]
  const least = Math.min(...seen)
  const most = Math.max(...seen)
  const nearest = Math.max(...halts.filter((value) => value <= least), -Infinity)
  const bottom = Number.isFinite(nearest) ? nearest : Math.min(least, ...halts)
  const room = Math.max((most - bottom) * 0.1, most * 0.001) || 1
  return [bottom - room, most + room]
}

/** Where a halt would come, in equity; drawn, and never decided upon. */
function haltLine(which: 'day' | 'peak'): string | null {
  const risk = status.value?.risk
  const base = which === 'day' ? risk?.day_start_equity : risk?.peak_equity
  const limit = which === 'day' ? risk?.daily_loss_limit : risk?.drawdown_limit
  if (base === undefined || base === null || limit === undefined) return null
  return (forDrawing(base) * (1 - forDrawing(limit))).toFixed(2)
}

function changeOf(
  equity: string | null,
  start: string | null,
): { text: string; isDown: boolean } | null {
  if (equity === null || start === null) return null
  const from = forDrawing(start)
  if (!(from > 0)) return null
  const ratio = (forDrawing(equity) - from) / from
  return { text: `${ratio < 0 ? '' : '+'}${percent(ratio.toFixed(6))}`, isDown: ratio < 0 }
}
