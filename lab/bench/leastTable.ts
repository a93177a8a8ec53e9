import { floorMs } from './machine.ts'
import type { CurveName, MachineFigures } from './machine.ts'
import { ms } from './report.ts'
import type { Table } from './report.ts'

/** What ways add to an order, at p50 in milliseconds. */
interface AddedBy {
  readonly pass: number
  readonly bare: Readonly<Record<CurveName, number>>
  readonly guard: Readonly<Record<CurveName, number>>
}

/**
 * What Guard adds beside the least that any program in Node would: passing the order on, finding out
 * who signed it, and having it on disk, with the signature made meanwhile.
 */
export function leastTable(machine: MachineFigures, addedBy: AddedBy): Table {
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
  'Node, only recover, disk and sign, through Guard’s own connections',
  '3x recover + sign + fdatasync, in loops',
  '3x recover + sign + fdatasync, after a rest',
  'Guard, testnet, allow',
  'what is left: judging, recording, settling',
]

function costsOf(machine: MachineFigures, curve: CurveName, addedBy: AddedBy): readonly number[] {
  const { fdatasync, curves } = machine
  const recover = curves[curve]?.recover.p50 ?? NaN
  const longer = Math.max(fdatasync.p50, curves[curve]?.sign.p50 ?? NaN)
  const [least, guard] = [addedBy.bare[curve], addedBy.guard[curve]]
  const most = (['loop', 'p50'] as const).map((how) => 3 * floorMs(machine, curve, how))
  return [addedBy.pass, recover, longer, least, ...most, guard, guard - least]
}
