import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { Registry } from '../../gateway/metrics/registry.ts'
import { fleetMetrics } from './fleetMetrics.ts'
import { fleetOf } from './fleetState.fixture.ts'

const deploy = resolve(import.meta.dirname, '..', '..', '..', 'deploy')
const read = (file: string): string => readFileSync(resolve(deploy, file), 'utf8')

interface Panel {
  readonly id: number
  readonly title: string
  readonly type: string
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly targets?: readonly { readonly expr: string }[]
}
const { panels, uid } = JSON.parse(read('grafana/fleet-dashboard.json')) as {
  readonly panels: readonly Panel[]
  readonly uid: string
}

test('the fleet’s dashboard and rules name every metric of the watcher, and no other', () => {
  const registry = new Registry()
  fleetMetrics(registry)(fleetOf(3))
  const known = registry.list().map(({ name }) => name)
  const rules = [...read('prometheus/fleet-alerts.yml').matchAll(/^ {8}expr: (.+)$/gm)]
  expect(rules.length).toBe(read('prometheus/fleet-alerts.yml').match(/- alert:/g)?.length)
  const expressions = [
    ...rules.map((match) => match[1] ?? ''),
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ]
  const used = expressions.flatMap((text) => text.match(/\bguard_[a-z0-9_]+/g) ?? [])
  expect([...new Set(used)].sort()).toEqual([...known].sort())
})

test('the dashboard is whole: unique ids, a title each, and no panel on top of another', () => {
  expect(uid).toBe('guard-fleet')
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  for (const { title, type, targets = [], gridPos } of panels) {
    expect(title).not.toBe('')
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    expect(type === 'row' || targets.length > 0).toBe(true)
  }
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
test.skipIf(!hasPromtool)('promtool finds nothing wrong with the rules', () => {
  for (const args of [
    ['check', 'rules', 'fleet-alerts.yml'],
    ['test', 'rules', 'fleet-alerts.test.yml'],
    ['check', 'config', 'prometheus.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, {
      ...{ cwd: resolve(deploy, 'prometheus'), encoding: 'utf8' },
    })
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  }
})
