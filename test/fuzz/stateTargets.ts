import { readConfig } from '../../src/config/readConfig.ts'
import { decodeRules, encodeRules } from '../../src/core/rules/rulesCode.ts'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import { verifyJournal } from '../../src/journal/inspect.ts'
import {
  LogLines,
  ManualTime,
  allRecords,
  decision,
  directory,
  errorEvent,
  openFake,
  sent,
} from '../../src/journal/journal.fixture.ts'
import { JournalError } from '../../src/journal/journalError.ts'
import { mutateBytes } from './mutate.ts'
import type { FuzzTarget } from './runFuzz.ts'

const account = `0x${'a'.repeat(40)}`
const client = `0x${'1'.repeat(40)}`
const toml = `mode = "testnet"
account = "${account}"
listen = "127.0.0.1:8547"
state_dir = "state"
[venue]
url = "http://127.0.0.1:3001"
api_wallet = "${client}"
builders = []
weight_per_minute = 1200
[key]
file = "api-wallet.json"
[clients]
"${client}" = { name = "grid bot" }
[rules]
risk_per_trade = "2%"
markets = ["BTC", "ETH"]
max_open_orders = 100
[market.BTC]
max_leverage = "3"
[client."${client}"]
markets = ["BTC"]
[alerts.ntfy]
url = "https://ntfy.sh/x"
`

export const configTarget: FuzzTarget = {
  name: 'configuration',
  share: 4,
  seeds: [toml, `mode = "paper"\naccount = "${account}"\n`].map((each) => Buffer.from(each)),
  make: mutateBytes,
  read: (input) => {
    const read = readConfig(Buffer.from(input).toString('utf8'), '/home/guard')
    if (read.ok) {
      const { mode, rules, listen } = read.value
      if (mode === 'mainnet' && rules.rules.equityCap === null)
        throw new Error('mainnet without an equity cap')
      if (!/^(127\.|localhost|::1|\[::1\])/.test(listen.host) && read.value.readTokenFile === null)
        throw new Error('exposed without a token')
      return `read ${mode}`
    }
    if (read.error.length === 0) throw new Error('refused without a word')
    return read.error.join('; ')
  },
}

const codes = [
  '{}',
  '{"risk_per_trade":"0.01"}',
  '{"risk_per_trade":"0.01","open_risk":"0.05","max_leverage":"3","stop":"refuse","markets":["BTC","ETH"],"max_order_value":"1000","max_orders_per_minute":60,"equity_cap":"5000.5"}',
]
const codeOf = (json: string): Buffer =>
  Buffer.from(`gr1_${Buffer.from(json).toString('base64url')}`)

export const rulesTarget: FuzzTarget = {
  name: 'rules code',
  share: 10,
  seeds: codes.map(codeOf),
  make: (dice, from, other) => {
    if (dice.roll(3) === 0) return mutateBytes(dice, from, other)
    const inner = (code: Uint8Array): Buffer =>
      Buffer.from(Buffer.from(code).toString('utf8').slice(4), 'base64url')
    return codeOf(mutateBytes(dice, inner(from), inner(other)).toString('utf8'))
  },
  read: (input) => {
    const code = Buffer.from(input).toString('utf8')
    const rules = decodeRules(code)
    if (!rules.ok) return rules.error.map((each) => each.text).join('; ')
    if (encodeRules(rules.value) !== code)
      throw new Error('another spelling of the same rules is taken')
    return `read ${code.length}`
  },
}

/** A short journal with damaged bytes: it is refused, or everything it shows verifies. */
export async function journalTarget(): Promise<FuzzTarget> {
  const world = { disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() }
  const opened = await openFake(world)
  for (let nonce = 1; nonce <= 6; nonce += 1) {
    const { seq, durable } = opened.journal.append(
      nonce % 3 === 0 ? errorEvent(`record ${nonce}`) : decision(nonce),
      'now',
    )
    await durable
    await opened.journal.append(sent(seq), 'now').durable
  }
  await opened.journal.close()
  const files = world.disk
    .paths()
    .map((path) => [path, world.disk.bytes(path) ?? new Uint8Array()] as const)
  const segment = files.find(([path]) => /\d{16}-/.test(path)) ?? files[0]
  if (segment === undefined) throw new Error('no journal was made')
  const whole = Buffer.from(segment[1])
  const hashes = [...whole.toString('utf8').matchAll(/"hash":"([0-9a-f]{64})"/g)].map(
    (match) => match[1],
  )
  return {
    name: 'journal reader',
    share: 1,
    seeds: [whole],
    make: mutateBytes,
    read: async (input) => {
      const disk = new FakeDisk()
      for (const [path, bytes] of files) {
        // Without the mark of what was on disk a damaged end is a torn one, and is cut off.
        if (input.length % 2 === 1 && path.endsWith('/durable')) continue
        disk.put(path, path === segment[0] ? input : bytes)
      }
      const report = await verifyJournal(directory, undefined, disk.io)
      let found = 'refused'
      try {
        const again = await openFake({ disk, time: new ManualTime(), log: new LogLines() })
        const records = await allRecords(again)
        await again.journal.close()
        // What is shown is a beginning of what was written; all that may follow it is the word
        // that a torn end was cut off.
        const kept = records.findIndex(({ hash }, at) => hash !== hashes[at])
        const added = kept < 0 ? [] : records.slice(kept)
        if (added.length > 1 || added.some(({ event }) => event.kind !== 'error')) {
          throw new Error(`a changed record was shown: ${JSON.stringify(added)}`)
        }
        found = `opened ${records.length}`
      } catch (error) {
        if (!(error instanceof JournalError)) throw error
        found = `${error.message.replace(/[0-9a-f]{16,}/g, '')}`
      }
      return `${report.problem?.text.replace(/[0-9a-f]{16,}/g, '') ?? 'whole'} ${found}`
    },
  }
}
