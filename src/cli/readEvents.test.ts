import { afterEach, expect, test } from 'vitest'
import type { GuardEvent } from '../core/events/guardEvent.ts'
import { startRig } from '../gateway/gateway.fixture.ts'
import type { Rig } from '../gateway/gateway.fixture.ts'
import { tellNew, tellPast } from './readEvents.ts'
import { runningGuard } from './runningGuard.ts'

let rig: Rig

afterEach(async () => {
  const closed = rig.gateway.close(0)
  rig.time.advance(1)
  await closed
})

/**
 * Follows a Guard, with the last three events in its memory, until event `until` was told. `onEvent` is
 * called with each event before the next read, as if more came while a terminal takes its time.
 */
async function follow(
  kinds: string | undefined,
  until: number,
  onEvent: (seq: number) => void,
): Promise<readonly number[]> {
  const told: number[] = []
  const leaving = new AbortController()
  const tell = ({ seq }: GuardEvent): void => {
    told.push(seq)
    onEvent(seq)
    if (seq === until) leaving.abort()
  }
  const guard = runningGuard(`http://127.0.0.1:${rig.gateway.port}`, null)
  const reading = { guard, kinds, tell, left: leaving.signal }
  const since = await tellPast(reading, 0)
  if (since !== null) await tellNew(reading, since)
  return told
}

const stop = (): void => void rig.reader.add({ kind: 'stopped', reason: 'a signal' })

test('more events than Guard has in memory are told without a gap, each once', async () => {
  rig = await startRig({}, 3)
  rig.reader.addErrors(2)
  const told = await follow(undefined, 32, (seq) => {
    if ([2, 12, 22].includes(seq)) rig.reader.addErrors(10)
  })
  expect(told).toEqual(Array.from({ length: 32 }, (_, at) => at + 1))
})

test('so are those of one kind, and it waits though memory begins after the last of that kind', async () => {
  rig = await startRig({}, 3)
  stop()
  const following = follow('stopped', 23, (seq) => {
    if (seq !== 1) return
    rig.reader.addErrors(10)
    stop()
    rig.reader.addErrors(10)
  })
  const isWaiting = async (): Promise<boolean> =>
    (await rig.ask('/metrics')).text.includes('guard_long_polls 1')
  while (!(await isWaiting())) rig.guard.status()
  expect(rig.reader.pages).toBe(2)
  stop()
  expect(await following).toEqual([1, 12, 23])
})
