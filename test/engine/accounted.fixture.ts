import { expect } from 'vitest'
import type { Lives } from './halted.fixture.ts'

/** Every action that was on disk has one outcome there, and the numbers have no gap. */
export async function accounted(lives: Lives): Promise<void> {
  // The last outcomes ride with the next flush.
  await lives.until(async () => {
    const events = await lives.events()
    return outcomes(events).length >= intended(events).length
  }, 'every outcome to be on disk')
  const events = await lives.events()
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1))
  expect(outcomes(events).sort()).toEqual(intended(events).sort())
}

function outcomes(events: readonly any[]): string[] {
  return events.flatMap((event) => {
    if (event.kind === 'sent') return [`${event.decision}:${event.index}`]
    return event.kind === 'recovered' ? [`${event.of}:${event.index}`] : []
  })
}

function intended(events: readonly any[]): string[] {
  return events.flatMap((event) => {
    const actions =
      event.kind === 'decision'
        ? [...event.pre, event.forward, ...event.forward_more, ...event.post].filter(Boolean)
        : event.sent === true
          ? event.actions
          : []
    return actions.map((_: unknown, index: number) => `${event.seq}:${index}`)
  })
}
