import { expect, test } from 'vitest'
import { defaultRules } from '../../core/rules/rules.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { encodeRules } from '../../core/rules/rulesCode.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { plainSetup } from '../fleet.fixture.ts'
import { lacking, unlike } from './looserRules.ts'
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
  ['the same bots', { keys: ['0xAb'] }, { keys: ['0xab'] }, null],
  ['fewer bots', { keys: ['0xab', '0xcd'] }, { keys: ['0xab'] }, null],
  ['a bot of its own', { keys: ['0xab'] }, { keys: ['0xab', '0xcd'] }, 'has the bot key 0xcd'],
  ['a first that does not say', { keys: null, builders: null }, { keys: ['0xab'] }, null],
  ['a builder of its own', { builders: [] }, { builders: ['0xef'] }, 'builders has 0xef'],
  ['rules of another version', { rules: 'gr9_x' }, {}, 'cannot be read by this version'],
])('%s', (_, theirs, ours, said) => {
  const found = unlike({ ...first, ...theirs }, { ...own, ...ours }).join('; ')
  expect(found).toEqual(said === null ? '' : expect.stringContaining(said))
})

test.each([null, [], { rules: 4 }])('what is no setup at all is not like this one: %j', (json) => {
  expect(unlike(json, own)).toEqual(['what the first said of its rules cannot be read'])
})

test('what the first takes and this one would refuse is said', () => {
  const theirs = { ...first, keys: ['0xab', '0xcd'], builders: ['0xef'] }
  const ours = { ...own, keys: ['0xab'], builders: [] }
  expect(lacking(theirs, ours)).toEqual(['the bot key 0xcd', 'the builder 0xef'])
  expect(lacking(null, ours)).toEqual([])
})
