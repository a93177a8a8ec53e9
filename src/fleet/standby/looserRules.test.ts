import { expect, test } from 'vitest'
import { defaultRules } from '../../core/rules/rules.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { encodeRules } from '../../core/rules/rulesCode.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { plainSetup } from '../fleet.fixture.ts'
import { unlike } from './looserRules.ts'
import type { StandbySetup } from './looserRules.ts'

const code = (rules: Partial<Rules>): string => encodeRules({ ...defaultRules, ...rules })
const tight = code({ dailyLossStop: Decimal.of('0.01') })
const first = { ...plainSetup, wallet: '0xaa' }
const own = { ...plainSetup, wallet: '0xbb' }

test.each<[string, Partial<StandbySetup>, Partial<StandbySetup>, string | null]>([
  ['the same', {}, {}, null],
  ['tighter', {}, { rules: tight }, null],
  ['looser', { rules: tight }, {}, '[rules] is looser here: daily_loss_stop: 1% -> '],
  ['tighter for a market', {}, { markets: { ETH: tight } }, null],
  ['looser for a market', { markets: { ETH: tight } }, {}, '[market ETH] is looser here'],
  ['a market that all rules cover', { markets: { ETH: tight } }, { rules: tight }, null],
  ['looser for a client', { clients: { '0xcc': tight } }, {}, '[client 0xcc] is looser here'],
  ['the wallet of the first', {}, { wallet: '0xaa' }, 'a standby has one of its own'],
  ['rules of another version', { rules: 'gr9_x' }, {}, 'cannot be read by this version'],
])('%s', (_, theirs, ours, said) => {
  const found = unlike({ ...first, ...theirs }, { ...own, ...ours }).join('; ')
  expect(found).toEqual(said === null ? '' : expect.stringContaining(said))
})

test.each([null, [], { rules: 4 }])('what is no setup at all is not like this one: %j', (json) => {
  expect(unlike(json, own)).toEqual(['what the first said of its rules cannot be read'])
})
