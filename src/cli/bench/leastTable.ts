import { floorMs } from './machine.ts'
import type { CurveName, MachineFigures } from './machine.ts'
import { ms } from './report.ts'
import type { Table } from './report.ts'

/**
 * What Guard adds beside the least that any program in Node would: passing the order on, finding out
 * who signed it, and having it on disk, with the signature made meanwhile.
 */
export function leastTable(
  machine: MachineFigures,
  addedBy: { readonly pass: number; readonly native: number; readonly wasm: number },
): Table {
  const curves = (['native', 'wasm'] as const).filter((curve) => machine.curves[curve])
  const columns = curves.map((curve) => costsOf(machine, curve, addedBy))
  const rows = costNames.map((name, row) => [
    name,
    ...columns.map((costs) => ms(costs[row] ?? NaN)),
  ])
  return {
    title: 'Beside what no program in Node can do without, at p50 after a rest',
    columns: ['', ...curves],
    rows,
  }
}

const costNames = [
  'passing it on (Node pass-through)',
  'recover',
  'the longer of sign and fdatasync',
  'these together',
  '3x recover + sign + fdatasync, in loops',
  '3x recover + sign + fdatasync, after a rest',
  'Guard, testnet, allow',
  'what is left: reading, judging, recording, settling',
]

function costsOf(
  machine: MachineFigures,
  curve: CurveName,
  addedBy: { readonly pass: number; readonly native: number; readonly wasm: number },
): readonly number[] {
  const { fdatasync, curves } = machine
  const recover = curves[curve]?.recover.p50 ?? NaN
  const longer = Math.max(fdatasync.p50, curves[curve]?.sign.p50 ?? NaN)
  const least = addedBy.pass + recover + longer
  const allowed = (['loop', 'p50'] as const).map((how) => 3 * floorMs(machine, curve, how))
  return [addedBy.pass, recover, longer, least, ...allowed, addedBy[curve], addedBy[curve] - least]
}
