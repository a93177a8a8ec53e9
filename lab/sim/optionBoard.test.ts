import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { optionTable, readOption, readOptions } from './optionBoard.ts'
import { demoUser, TestVenue } from './simulator.fixture.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start({ options: { trigger_p_rule: 'strict' } })
})
afterAll(() => venue.close())
beforeEach(() => venue.freeze())

const list = async (): Promise<any[]> => (await venue.send('GET', '/sim/options')).json
const valueOf = async (name: string): Promise<unknown> =>
  (await list()).find((each) => each.name === name)?.value

describe('the table', () => {
  test.each(Object.entries(optionTable))('%s takes its default and every reading', (_, option) => {
    for (const { value, means } of option.readings) {
      expect(String(option.read(value))).toBe(value)
      expect(means).not.toBe('')
    }
    const usual = option.usual === null ? 'none' : String(option.usual)
    expect(String(option.read(usual) ?? 'none')).toBe(usual)
    expect(option.read(['no such value'])).toBeUndefined()
    if (option.readings.length > 0) expect(option.readings.length).toBeGreaterThan(1)
  })

  test.each([
    ['ws_max_users', '15', 15],
    ['ws_max_users', 15, 15],
    ['ws_max_users', '-1', undefined],
    ['ws_max_users', 1.5, undefined],
    ['dailyCap.n', 'none', null],
    ['dailyCap.countBatch', 'false', false],
    ['dailyCap.countBatch', 'no', undefined],
    ['scheduleCancelVolume', '-1', undefined],
    ['tooManyRequestsBody', 'slow down', 'slow down'],
  ])('%s=%j reads as %j', (name, given, expected) => {
    expect(optionTable[name]?.read(given)).toBe(expected)
  })

  test('several words are a list, or a text with commas, in the order of the table', () => {
    const option = optionTable['twap_survives']
    expect(option?.read('agentRemoval, scheduleCancel')).toEqual(['scheduleCancel', 'agentRemoval'])
    expect(option?.read(['liquidation'])).toEqual(['liquidation'])
    expect(option?.read('none')).toEqual([])
    expect(option?.read('all')).toBeUndefined()
    expect(option?.read(7)).toBeUndefined()
  })

  test('what goes by two names can be given by either', () => {
    expect(readOption('triggerMargin', 'full')).toEqual(readOption('trigger_reserve', 'limit'))
    expect(readOption('iocCheckPx', 'limit')).toEqual(readOption('ioc_margin_px', 'limit'))
    expect(readOption('triggerMargin', 'limitless').ok).toBe(false)
  })

  test('a nested object is the same as names with a dot', () => {
    expect(readOptions({ dailyCap: { n: 7, text: 'enough' } })).toEqual(
      readOptions({ 'dailyCap.n': 7, 'dailyCap.text': 'enough' }),
    )
  })

  test('a name nobody knows is answered with all of them, a value with what it may be', () => {
    expect(readOption('no_such', 'x')).toMatchObject({
      error: expect.stringContaining('trigger_p_rule, child_side, positionTriggers, tpslPerBatch'),
    })
    expect(readOption('trigger_cmp', 'eq')).toEqual({
      ok: false,
      error: 'option trigger_cmp must be one of ge, gt, got "eq"',
    })
  })
})

describe('/sim/options', () => {
  test('lists every option with its default, what it means and what holds', async () => {
    const all = await list()
    expect(all.map(({ name }) => name)).toEqual(Object.keys(optionTable))
    expect(all.find(({ name }) => name === 'trigger_p_rule')).toEqual({
      name: 'trigger_p_rule',
      value: 'strict',
      default: 'off',
      about: 'the limit price of a market trigger',
      allowed: 'one of off, strict',
      means: { off: 'may lie anywhere', strict: 'must lie beyond the trigger price' },
      row: '22-1',
    })
  })

  test('changes some at once, and a reset goes back to those of the start', async () => {
    await venue.control('options', { trigger_cmp: 'gt', ws_max_users: 15 })
    expect(await valueOf('trigger_cmp')).toBe('gt')
    expect(await valueOf('ws_max_users')).toBe(15)
    await venue.freeze()
    expect(await valueOf('trigger_cmp')).toBe('ge')
    expect(await valueOf('trigger_p_rule')).toBe('strict')
  })

  test('a reset takes options; one that is refused changes none', async () => {
    const accounts = [{ address: demoUser, equity: '1' }]
    const reset = { frozen: true, accounts, options: { trigger_cmp: 'gt' } }
    await venue.control('reset', reset)
    expect(await valueOf('trigger_cmp')).toBe('gt')
    const twice = { ...reset, accounts: [...accounts, ...accounts], options: {} }
    expect((await venue.send('POST', '/sim/reset', twice)).status).toBe(400)
    expect(await valueOf('trigger_cmp')).toBe('gt')
  })

  test('an option nobody knows is a 400 that says what there is', async () => {
    const answer = await venue.send('POST', '/sim/options', { trigger_cmp: 'eq' })
    expect(answer.status).toBe(400)
    expect(answer.json.error).toContain('one of ge, gt')
  })
})

test('the reference of the options', async () => {
  const lines = Object.entries(optionTable).map(([name, option]) => {
    const { about, usual, readings, allowed } = option
    const means = readings.map(({ value, means: text }) => `\`${value}\` ${text}`)
    const values = means.length === 0 ? allowed : means.join('<br>')
    const shown = usual === null ? 'none' : String(usual)
    return `| \`${name}\` | ${about} | ${values} | \`${shown}\` |`
  })
  const text = [
    '# Options of the simulator',
    '',
    'Made from the table that `GET /sim/options` shows. Each is a point where nobody could verify what the venue does, a cadence or a limit; the manual is [simulator.md](../simulator.md).',
    '',
    '| Option | The question | Its values | Default |',
    '|---|---|---|---|',
    ...lines,
    '',
  ].join('\n')
  await expect(text).toMatchFileSnapshot('../../docs/generated/simulator-options.md')
})
