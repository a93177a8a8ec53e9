import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { NotHere, breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { fromFlat } from '../fromFlat.ts'
import { priceAt } from '../ground.ts'
import { fieldsOf, vetoed } from '../held.ts'
import { gtc, order, orders, stop } from '../orders.ts'
import { enter, held, sizeFor, withinRules } from '../positions.ts'

/** Far more than the rules allow, and little enough for the venue's margin to bear. */
const huge = '11'

/** Trades as hard as it can; whatever was filled must be covered and within the rules. */
function grab(
  name: string,
  tries: string,
  take: (attacker: Attacker) => Promise<void>,
  mayStayFlat = false,
): Attack {
  return fromFlat('sizing', name, tries, async (attacker) => {
    await take(attacker)
    const how = await withinRules(attacker)
    if (how === 'no position' && !mayStayFlat) throw new NotHere('Guard refused every entry')
    return how
  })
}

const buy = (
  attacker: Attacker,
  share: string,
  percent = '0.4',
  more: JsonObject = {},
): JsonObject =>
  order(
    attacker.ground().asset,
    true,
    priceAt(attacker.ground(), percent),
    sizeFor(attacker, share),
    more,
  )

async function times(count: number, send: (at: number) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, at) => send(at)))
}

const grabs: readonly Attack[] = [
  grab('one-huge-order', 'one order of eleven times the account', async (attacker) => {
    await attacker.send(orders([buy(attacker, huge)]))
  }),
  grab('huge-short', 'the same on the other side', async (attacker) => {
    const field = attacker.ground()
    await attacker.send(
      orders([order(field.asset, false, priceAt(field, '-0.4'), sizeFor(attacker, huge))]),
    )
  }),
  grab(
    'fifty-splits',
    'fifty orders, one after the other, each within what one trade may risk',
    async (attacker) => {
      for (let at = 0; at < 50; at += 1) await attacker.send(orders([buy(attacker, '0.3')]))
    },
  ),
  grab('race-of-100', 'one hundred orders at once', (attacker) =>
    times(100, () => attacker.send(orders([buy(attacker, '1')]))),
  ),
  grab('race-of-100-huge', 'one hundred huge orders at once', (attacker) =>
    times(100, () => attacker.send(orders([buy(attacker, huge)]))),
  ),
  grab('race-over-both', 'forty orders at once, over HTTP and sockets', (attacker) =>
    times(40, (at) => {
      const request = attacker.sign(orders([buy(attacker, '1')]))
      return at % 4 === 0 ? attacker.overSocket(request) : attacker.exchange(request)
    }),
  ),
  grab(
    'race-of-both-sides',
    'thirty buys and thirty sells at once',
    (attacker) => {
      const field = attacker.ground()
      const sell = order(field.asset, false, priceAt(field, '-0.4'), sizeFor(attacker, '1'))
      return times(60, (at) => attacker.send(orders([at % 2 === 0 ? buy(attacker, '1') : sell])))
    },
    true,
  ),
  grab('ladder-of-64', 'sixty-four entries in one action', async (attacker) => {
    await attacker.send(orders(Array.from({ length: 64 }, () => buy(attacker, '1'))))
  }),
  grab('race-of-ladders', 'ten actions of ten entries each, at once', (attacker) =>
    times(10, () => attacker.send(orders(Array.from({ length: 10 }, () => buy(attacker, '1'))))),
  ),
  grab('tight-stop', 'a stop so close that the risk looks like nothing', async (attacker) => {
    const field = attacker.ground()
    const size = sizeFor(attacker, huge)
    const close = stop(field.asset, false, priceAt(field, '-0.3'), priceAt(field, '-11'), size)
    await attacker.send(orders([buy(attacker, huge), close], 'normalTpsl'))
  }),
  grab('tiny-stop', 'a stop for a thousandth of the entry', async (attacker) => {
    const field = attacker.ground()
    const tiny = stop(
      field.asset,
      false,
      priceAt(field, '-2'),
      priceAt(field, '-12'),
      sizeFor(attacker, '0.011'),
    )
    await attacker.send(orders([buy(attacker, huge), tiny], 'normalTpsl'))
  }),
  grab('fat-finger', 'an order at five times the price', async (attacker) => {
    await attacker.send(orders([buy(attacker, huge, '400')]))
    const [position] = await held(attacker)
    const worst = attacker.ground().mid.times(Decimal.of('1.06'))
    if (position?.entry.gt(worst) === true) breach(`filled at ${position.entry.toString()}`)
  }),
  grab('market-tif', 'a huge order with the web front end’s time in force', async (attacker) => {
    await attacker.send(
      orders([buy(attacker, huge, '0.4', { t: { limit: { tif: 'FrontendMarket' } } })]),
    )
  }),
  grab('one-cloid-many-orders', 'twenty huge orders at once with one client order id', (attacker) =>
    times(20, () =>
      attacker.send(orders([buy(attacker, huge, '0.4', { c: `0x${'1f'.repeat(16)}` })])),
    ),
  ),
  grab(
    'resting-then-moved',
    'an order that rests far away and is then moved to the price at eleven times its size',
    async (attacker) => {
      await attacker.send(orders([buy(attacker, '0.1', '-3', { t: gtc })]))
      const resting = (await attacker.venueOrders()).find((each) => each['isTrigger'] !== true)
      if (resting === undefined) throw new NotHere('the order does not rest')
      const moved = { type: 'modify', oid: Number(resting['oid']), order: buy(attacker, huge) }
      await attacker.send(moved)
      await times(10, () =>
        attacker.send({
          type: 'batchModify',
          modifies: [{ oid: Number(resting['oid']), order: buy(attacker, huge) }],
        }),
      )
    },
  ),
  grab(
    'many-resting',
    'forty orders resting a little below the price, each as large as may be',
    async (attacker) => {
      await times(40, () => attacker.send(orders([buy(attacker, '1', '-0.2', { t: gtc })])))
      const value = (await attacker.venueOrders())
        .filter((each) => each['isTrigger'] !== true)
        .reduce(
          (sum, each) => sum.plus(Decimal.of(String(each['sz'])).times(attacker.ground().mid)),
          Decimal.zero,
        )
      const most = attacker.equity.times(attacker.rules.maxPosition).times(Decimal.of('1.05'))
      if (value.gt(most)) breach(`orders worth ${value.toString()} USD rest`)
    },
    true,
  ),
  grab(
    'add-while-open',
    'a position at its largest, and ten more entries at once',
    async (attacker) => {
      await attacker.send(orders([buy(attacker, huge)]))
      await times(10, () => attacker.send(orders([buy(attacker, huge)])))
    },
  ),
  grab(
    'huge-reduce-only',
    'a huge reduce-only order without a position, which must not open one',
    async (attacker) => {
      await attacker.send(orders([buy(attacker, huge, '0.4', { r: true })]))
      if ((await held(attacker)).length > 0) breach('it opened a position')
    },
    true,
  ),
]

const turns: readonly Attack[] = [
  fromFlat(
    'sizing',
    'flip',
    'an order against the position and larger than it',
    async (attacker) => {
      const field = attacker.ground()
      await enter(attacker)
      const sell = order(field.asset, false, priceAt(field, '-0.4'), sizeFor(attacker, '3'))
      const reply = fieldsOf((await attacker.send(orders([sell]))).json)
      const turned = (await held(attacker)).find(({ size }) => size.isNegative())
      if (turned !== undefined) breach(`it holds ${turned.size.toString()} ${turned.coin}`)
      return `cut to the position [${String(reply['code'])}]`
    },
  ),
  fromFlat(
    'sizing',
    'flip-by-race',
    'twenty closing orders at once, each as large as the position',
    async (attacker) => {
      const field = attacker.ground()
      const { size } = await enter(attacker)
      const sell = order(field.asset, false, priceAt(field, '-0.4'), size.abs().toString())
      await times(20, () => attacker.send(orders([sell])))
      // Those that come after it is closed are entries of their own, and judged as such.
      return await withinRules(attacker)
    },
  ),
]

/** A size or price that is no plain decimal: refused before anything is judged. */
function spelled(name: string, tries: string, size: Json, price?: Json): Attack {
  return {
    group: 'sizing',
    name: `spelling-${name}`,
    tries,
    venue: 'nothing',
    run: async (attacker) => {
      const field = attacker.ground()
      const action = orders([order(field.asset, true, price ?? priceAt(field, '0.4'), size)])
      return vetoed((await attacker.send(action)).json, 'malformed', 'invalid', 'below_minimum')
    },
  }
}

const spellings: readonly Attack[] = [
  spelled('exponent', 'a size of 1e9', '1e9'),
  spelled('exponent-capital', 'a size of 1E3', '1E3'),
  spelled('exponent-negative', 'a price of 1e-3', '1', '1e-3'),
  spelled('leading-space', 'a size with a space before it', ' 1000'),
  spelled('trailing-space', 'a size with a space behind it', '1000 '),
  spelled('newline', 'a size with a line break', '1\n000'),
  spelled('plus', 'a size with a plus', '+1000'),
  spelled('minus', 'a size below zero', '-1000'),
  spelled('leading-zeros', 'a size with zeros before it', '0001000'),
  spelled('no-digits-behind', 'a size that ends in a point', '1000.'),
  spelled('no-digits-before', 'a size that begins with a point', '.5'),
  spelled('hex', 'a size in hex', '0x3e8'),
  spelled('separators', 'a size with separators', '1_000'),
  spelled('comma', 'a size with a comma', '1,000'),
  spelled('fullwidth', 'a size in full-width digits', '１０００'),
  spelled('arabic', 'a size in Arabic digits', '١٠٠٠'),
  spelled('infinity', 'an infinite size', 'Infinity'),
  spelled('nan', 'a size that is no number', 'NaN'),
  spelled('number', 'a size as a number instead of a text', 1_000),
  spelled('list', 'a size as a list', ['1000']),
  spelled('null', 'no size', null),
  spelled('zero', 'a size of zero', '0'),
  spelled('empty', 'an empty size', ''),
  spelled('ten-thousand-digits', 'a size of ten thousand digits', '9'.repeat(10_000)),
  spelled('thousand-decimals', 'a size with a thousand decimals', `1.${'0'.repeat(999)}1`),
  spelled('price-zero', 'a price of zero', '1', '0'),
  spelled('price-below-zero', 'a price below zero', '1', '-5'),
]

const precision = fromFlat(
  'sizing',
  'lots-that-round-up',
  'sizes just above a lot, which must be rounded down and never up',
  async (attacker) => {
    const field = attacker.ground()
    const asked = `${Decimal.of(sizeFor(attacker, '0.1')).rounded(field.sizeDecimals, 'down').toString()}`
    const size = Decimal.of(asked).plus(new Decimal(99n, field.sizeDecimals + 2))
    const answer = fieldsOf(
      (
        await attacker.send(
          orders([order(field.asset, true, priceAt(field, '0.4'), size.toString())]),
        )
      ).json,
    )
    const [position] = await held(attacker)
    if (position?.size.gt(Decimal.of(asked)) === true)
      breach(`${position.size.toString()} for ${size.toString()}`)
    return typeof answer['code'] === 'string'
      ? answer['code']
      : breach(`no word of Guard: ${JSON.stringify(answer).slice(0, 120)}`)
  },
)

export const sizingAttacks: readonly Attack[] = [...grabs, ...turns, ...spellings, precision]
