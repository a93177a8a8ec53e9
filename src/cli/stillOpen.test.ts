import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, Bench, passphrase } from './cli.fixture.ts'
import { releaseOutput } from '../../test/cli/outputSchemas.fixture.ts'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
  expect(await ask(bench.initArgs('home'))).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await bench.close()
})

const env = { GUARD_KEY_PASSPHRASE: passphrase }
const kill = (...args: string[]) =>
  ask(['kill', ...args, '--reason', 'x', '--home', bench.path('home')], { env })

test('a release says what is still open at the venue, and that nothing closes it', async () => {
  const t = { limit: { tif: 'Ioc' } }
  const order = { a: 1, b: false, p: '2400', s: '0.5', r: false, t }
  await bench.control.act(bench.account, { type: 'order', orders: [order], grouping: 'na' })
  const release = ['release', '--confirm', bench.account]

  await kill()
  const told = await kill(...release)
  expect(told).toMatchObject({ code: 0, err: '' })
  expect(told.out).toContain('Still open at the venue: ETH 0.5 short.')
  expect(told.out).toContain('closes it no more')

  await kill()
  const { released } = releaseOutput.parse((await kill(...release, '--json')).json())
  expect(released.open_positions).toEqual([{ coin: 'ETH', size: '-0.5' }])
})

test('a venue that does not answer holds no release up', async () => {
  await kill()
  await bench.simulator.close()
  const told = await kill('release', '--confirm', bench.account)
  expect(told).toMatchObject({ code: 0, err: '' })
  expect(told.out).toContain('What is open at the venue could not be read.')
})
