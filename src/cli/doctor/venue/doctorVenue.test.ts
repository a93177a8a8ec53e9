import { afterAll, beforeAll, expect, test } from 'vitest'
import { venueDoctorOutput } from '../../../../test/cli/outputSchemas.fixture.ts'
import { ask, Bench, canaryKey } from '../../cli.fixture.ts'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
  expect((await ask(bench.initArgs('home'))).code).toBe(0)
})
afterAll(async () => {
  await bench.close()
})

const doctor = (...more: string[]) =>
  ask(['doctor', '--venue', '--home', bench.path('home'), ...more])

test('reads without the key or its passphrase, for a person and as JSON', async () => {
  const text = await doctor()
  expect(text.code, text.err).toBe(0)
  expect(text.out).toContain('confirmed default-leverage (the simulator')
  expect(text.out).toMatch(/reads alone, \d+ of at most 800 request weight/)
  expect(text.out).toMatch(/\d+ confirmed, 0 refuted, \d+ not seen/)
  const json = await doctor('--json')
  const read = venueDoctorOutput.parse(json.json())
  expect(read.ok).toBe(true)
  expect(read.points.length).toBeGreaterThanOrEqual(12)
  for (const said of [text.out, json.out]) {
    expect(said).not.toContain(bench.account)
    expect(said).not.toContain(bench.wallet)
    expect(said).not.toContain(canaryKey.slice(2))
  }
})

test('ends with 1 where a point is refuted', async () => {
  await bench.control.reset({
    frozen: true,
    accounts: [{ address: bench.account, equity: '10' }],
    options: { defaultLeverage: '1' },
  } as never)
  const said = await doctor('--json')
  expect(said.code).toBe(1)
  const read = venueDoctorOutput.parse(said.json())
  expect(read.ok).toBe(false)
  expect(read.points.filter(({ state }) => state === 'refuted')).toMatchObject([
    { name: 'default-leverage' },
  ])
  await bench.reset()
})
