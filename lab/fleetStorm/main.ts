import { runFleetWorld } from './fleetWorld.ts'

/** Which worlds to run, and what to tell of them. */
interface FleetStormChoices {
  readonly first: number
  readonly count: number
  readonly isTraced: boolean
  /** Also after a world that failed. */
  readonly keepsGoing: boolean
}

const traceLines = 60
const tellEvery = 1_000

/** What `npm run fleet-storm` does; answers its exit code. */
export async function fleetStorm(choices: FleetStormChoices): Promise<number> {
  const { first, count, isTraced, keepsGoing } = choices
  const met: Record<string, number> = {}
  let opened = 0
  let failed = 0
  for (let seed = first; seed < first + count; seed += 1) {
    const result = await runFleetWorld(seed, { isTraced })
    opened += result.opened
    for (const [name, times] of Object.entries(result.met)) met[name] = (met[name] ?? 0) + times
    if ((seed - first + 1) % tellEvery === 0) console.log(`${seed - first + 1} worlds so far`)
    if (result.broken === null) continue
    failed += 1
    console.log(`seed ${seed}: ${result.broken.message}`)
    console.log(result.trace.slice(-traceLines).join('\n'))
    if (!keepsGoing) break
  }
  console.log(
    Object.entries(met)
      .map(([name, times]) => `${name} ${times}`)
      .join(', '),
  )
  console.log(`${count} worlds, ${opened} entries, ${failed} failed`)
  return failed === 0 ? 0 : 1
}
