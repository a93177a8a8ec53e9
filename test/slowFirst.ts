import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * The files that take longest, slowest first; `SlowFirst` starts isolated files before those that
 * share a process, and each group in this order. One that started last would keep the run waiting. Storms want the processor, most others wait for a Guard or a timer: the
 * one fills what the other leaves.
 */
export const slowest: readonly string[] = [
  ...['storm/storm', 'documentation/readme', 'cli/run', 'cli/backup', 'redteam/redteam'],
  ...['storm/focus', 'test/engine/venueFaults', 'monitor/monitor', 'cli/everyCommand'],
  ...['storm/staleLists', 'storm/habits/habits', 'test/engine/venueRefusals', 'test/engine/faults'],
  ...[
    'journal/killed',
    'test/engine/halted',
    'bench/runBench',
    'test/engine/recovery',
    'test/tools',
  ],
  ...['journal/crash', 'cli/keyReplace', 'test/engine/strangeAnswers', 'cli/completion'],
  ...['judge/sequences.property', 'judge/judge.property', 'journal/damage', 'cli/dialogue'],
  ...[
    'test/engine/marginSettings',
    'test/engine/hangingDisk',
    'alerts/killed',
    'test/engine/allowances',
  ],
  ...['protocol/orderListReader', 'test/engine/silentReads', 'test/engine/unified', 'cli/demo'],
].map((name) => `/${name}.test.ts`)

/** What runs apart, then what shares a process with others; of either the slowest first. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files)
    return usual.sort((left, right) => placeOf(left) - placeOf(right))
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  const found = slowest.findIndex((name) => moduleId.endsWith(name))
  const place = found < 0 ? slowest.length : found
  return project.config.isolate ? place : slowest.length + 1 + place
}
