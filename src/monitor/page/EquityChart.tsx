import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { forDrawing, money, percent } from './format.ts'
import { equityCurve, status } from './store.ts'

const height = 220

/** Equity over the day, with the lines at which everything is closed. */
export function EquityChart() {
  const risk = status.value?.risk
  const change = risk === undefined ? null : changeOf(risk.equity, risk.day_start_equity)
  return (
    <section class="card equity" aria-labelledby="equity-title">
      <div class="card-head">
        <h2 id="equity-title">Equity</h2>
        <p class="figure">
          <b>{money(risk?.equity ?? null)}</b>
          {change === null ? null : (
            <span class={change.isDown ? 'down' : 'up'}>
              {change.text} <small>today</small>
            </span>
          )}
        </p>
      </div>
      <Chart />
      <p class="legend">
        <span class="key equity-key">equity</span>
        <span class="key day-key">daily loss stop {money(haltLine('day'))}</span>
        <span class="key peak-key">drawdown halt {money(haltLine('peak'))}</span>
      </p>
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
  const curve = equityCurve.value
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

function colour(name: string): () => string {
  return () => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

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
    scales: { y: { range: (_chart, least, most) => padded(least, most) } },
    axes: [
      { ...axis, values: (_chart, ticks) => ticks.map(hourAndMinute) },
      {
        ...axis,
        size: 76,
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

/** UTC, as everything Guard shows. */
function hourAndMinute(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(11, 16)
}

function padded(least: number, most: number): [number, number] {
  const room = Math.max((most - least) * 0.08, most * 0.001, 1)
  return [least - room, most + room]
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
