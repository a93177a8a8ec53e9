import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import type { FillView } from '../sim/engine/views.ts'
import {
  arrival,
  entry,
  entryId,
  fillOf,
  guardStop,
  long,
  order,
  stopAt,
  venueWith,
} from './oracleParts.fixture.ts'
import { PromiseOracle } from './promiseOracle.ts'
import { user } from './keys.ts'

const bought = { ...entry, c: entryId }
const later: readonly FillView[] = [fillOf('0.5', '1', false, 8)]

interface Case {
  readonly what: string
  readonly sent: JsonObject
  readonly stops: readonly JsonObject[]
  readonly held?: string
  readonly after?: readonly FillView[]
  readonly isKept: boolean
}

const cases: readonly Case[] = [
  {
    what: 'the stop it was sent with',
    ...{ sent: order(bought, stopAt('3900')), stops: [stopAt('3900')], isKept: true },
  },
  {
    what: 'a tighter one in its place',
    ...{ sent: order(bought, stopAt('3900')), stops: [stopAt('3950')], isKept: true },
  },
  {
    what: 'a looser one in its place',
    ...{ sent: order(bought, stopAt('3900')), stops: [stopAt('3899')], isKept: false },
  },
  {
    what: 'too little of it',
    ...{ sent: order(bought, stopAt('3900')), stops: [stopAt('3900', '0.9')], isKept: false },
  },
  {
    what: 'two that are enough together',
    ...{ sent: order(bought, stopAt('3900')), isKept: true },
    stops: [stopAt('3900', '0.4'), stopAt('3950', '0.6')],
  },
  {
    what: 'its looser stop, where Guard sent one of its own beside the bot’s',
    ...{ sent: order(bought, stopAt('3950'), stopAt('3900', '1', guardStop)), isKept: true },
    stops: [stopAt('3900')],
  },
  {
    what: 'a part that was sold, whichever it was',
    ...{ sent: order(bought, stopAt('3900')), stops: [stopAt('3900', '0.5')], held: '0.5' },
    ...{ after: later, isKept: true },
  },
  {
    what: 'nothing that was promised',
    ...{ sent: order(entry), stops: [], isKept: true },
  },
]

test.each(cases)('$what: $isKept', ({ sent, stops, held = '1', after = [], isKept }) => {
  const { venue } = venueWith({ ...long(held), orders: [...stops] })
  const oracle = new PromiseOracle(venue, user)
  oracle.hear(arrival(sent, [fillOf('1')]))
  oracle.hear({ ...arrival(order(entry), after), actor: { who: 'venue' } })
  oracle.check(0, 0)
  oracle.check(3_000, 0)
  oracle.check(9_000, 8_000)
  const found = (): void => {
    oracle.check(11_001, 8_000)
  }
  if (isKept) expect(found).not.toThrow()
  else expect(found).toThrow('stopped out at')
})
