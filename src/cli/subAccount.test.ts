import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ask, Bench, markets, passphrase } from './cli.fixture.ts'
import { readConfig } from '../config/readConfig.ts'
import type { GuardConfigFile } from '../config/readConfig.ts'
import type { SignedRequest, Urgency, VenueHttp } from '../engine/ports.ts'
import { provenAccount } from './provenAccount.ts'

const owner = `0x${'0d'.repeat(20)}`
const another = `0x${'0e'.repeat(20)}`

let bench: Bench
let homes = 0
beforeAll(async () => {
  bench = await Bench.open()
})
afterAll(async () => {
  await bench.close()
})

const owned = (how: 'sub_of' | 'vault_of'): Promise<unknown> =>
  bench.control.reset({
    frozen: true,
    markets,
    accounts: [
      { address: owner, equity: '1', agents: [bench.wallet] },
      { address: another, equity: '1' },
      { address: bench.account, equity: '5000', [how]: owner },
    ],
  })

const init = async (...more: string[]) => {
  const home = `home${String(homes++)}`
  return { home, said: await ask(bench.initArgs(home, ...more)) }
}
const env = { GUARD_KEY_PASSPHRASE: passphrase }
const tomlOf = (home: string) => readFileSync(bench.path(home, 'guard.toml'), 'utf8')

describe('guard init', () => {
  test('finds out whose sub-account it is, and says so', async () => {
    await owned('sub_of')
    const { home, said } = await init()
    expect(said.code, said.err).toBe(0)
    expect(said.out).toContain(`traded through its owner ${owner}`)
    expect(tomlOf(home)).toContain(`via = "${owner}"`)
    const doctor = await ask(['doctor', '--home', bench.path(home), '--json'], { env })
    expect(doctor.out).toContain(`a sub-account of ${owner}`)
    expect(doctor.out).toContain('approved until')
  })

  test('takes a vault only with its leader', async () => {
    await owned('vault_of')
    const without = await init()
    expect(without.said.code).toBe(2)
    expect(without.said.err).toContain('is a vault')
    expect(without.said.err).toContain('--via')
    const wrong = await init('--via', another)
    expect(wrong.said.code).toBe(2)
    expect(wrong.said.err).toContain('does not lead')
    const { home, said } = await init('--via', owner, '--json')
    expect(said.json()).toMatchObject({ via: owner })
    const doctor = await ask(['doctor', '--home', bench.path(home), '--json'], { env })
    expect(doctor.out).toContain(`a vault led by ${owner}`)
  })

  test('takes no owner where there is none, and none that is not it', async () => {
    await bench.reset()
    const plain = await init('--via', owner)
    expect(plain.said).toMatchObject({ code: 2 })
    expect(plain.said.err).toContain('neither a sub-account nor a vault')
    await owned('sub_of')
    const wrong = await init('--via', another)
    expect(wrong.said.code).toBe(2)
    expect(wrong.said.err).toContain(`is a sub-account of ${owner}`)
  })
})

describe('guard run', () => {
  let config: GuardConfigFile
  const logged: string[] = []
  const log = { log: (_: string, text: string) => void logged.push(text) }
  beforeEach(() => {
    logged.length = 0
  })

  const configOf = (via: string | null, url = bench.simulator.url): GuardConfigFile => {
    const lines = [
      ...['mode = "testnet"', `account = "${bench.account}"`, '[venue]', `url = "${url}"`],
      ...(via === null ? [] : [`via = "${via}"`]),
    ]
    // A home of its own each time: none of them has run before.
    const read = readConfig(lines.join('\n'), bench.path(`home${String(homes++)}`))
    if (!read.ok) throw new Error(read.error.join('; '))
    return read.value
  }

  test('refuses a sub-account without its owner, with exit code 2', async () => {
    await owned('sub_of')
    const { home } = await init()
    const toml = tomlOf(home).replace(/^via = .*$/m, '')
    writeFileSync(bench.path(home, 'guard.toml'), toml)
    const said = await ask(['run', '--home', bench.path(home)], { env })
    expect(said.code).toBe(2)
    expect(said.err).toContain(`is a sub-account of ${owner}: set via = "${owner}"`)
  })

  test.each([
    ['a sub-account through another', 'sub_of', another, 'is a sub-account of'],
    ['a vault without its leader', 'vault_of', null, 'is a vault'],
    ['a vault through another', 'vault_of', another, 'does not lead'],
  ] as const)('refuses %s', async (_, how, via, why) => {
    await owned(how)
    config = configOf(via)
    await expect(provenAccount(config, log, 0)).rejects.toThrow(why)
  })

  test.each([
    ['a sub-account', 'sub_of', 'a sub-account of'],
    ['a vault', 'vault_of', 'a vault led by'],
  ] as const)('starts for %s through its owner', async (_, how, text) => {
    await owned(how)
    expect(await provenAccount(configOf(owner), log)).toEqual({})
    expect(logged.join()).toContain(`${text} ${owner}`)
  })

  describe('with a venue that did not answer at the start', () => {
    /** What it says whose account it is, one word for each time that it is asked; null: no answer. */
    async function started(...told: readonly (unknown | null)[]) {
      const seams = await provenAccount(configOf(null, 'http://127.0.0.1:1'), log, 0)
      expect(logged.join()).toContain('nothing opens before it has')
      const words = [...told]
      const venue: VenueHttp = {
        info: async () => {
          const body = words.shift() ?? null
          const failed = { ok: false, error: { text: 'no answer' } } as never
          return body === null ? failed : ({ ok: true, value: { body } } as never)
        },
        exchange: async () => ({ kind: 'reply', reply: 'taken' }),
      }
      const gate = seams.venue?.(venue)
      return {
        info: () => gate?.info({}, 'read'),
        send: async (lane: Urgency) =>
          (await gate?.exchange({} as SignedRequest, lane))?.kind === 'reply',
      }
    }
    const ours = { role: 'user' }
    const anothers = { role: 'subAccount', data: { master: owner } }

    test('nothing opens until it has said whose account it is', async () => {
      const { send } = await started(null, null, ours)
      expect(await send('entry')).toBe(false)
      expect(await send('entry')).toBe(false)
      expect(await send('entry')).toBe(true)
      expect(await send('entry')).toBe(true)
    })

    test.each(['safety', 'exit', 'cancel'] as const)('%s waits for no answer', async (lane) => {
      const { send, info } = await started()
      expect(await send(lane)).toBe(true)
      expect(await info()).toMatchObject({ ok: false })
    })

    test('one word that the account is another’s stops entries and nothing else', async () => {
      const { send } = await started(anothers, ours, ours, ours)
      expect(await send('entry')).toBe(false)
      expect(await send('safety')).toBe(true)
      for (const isServed of [false, false, true]) expect(await send('entry')).toBe(isServed)
    })

    test('once it has said again and again that the account is another’s, nothing goes', async () => {
      const { send } = await started(anothers, anothers, anothers)
      for (let time = 0; time < 3; time++) expect(await send('entry')).toBe(false)
      for (const lane of ['safety', 'exit', 'cancel', 'entry'] as const) {
        expect(await send(lane)).toBe(false)
      }
    })
  })
})
