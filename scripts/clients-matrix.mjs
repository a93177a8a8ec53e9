// Makes docs/compatibility.md from what the client suite left in tmp/clients. Checks by default;
// `--write` writes. Of clients that could not run here (Python, Rust, Go, Freqtrade) nothing is checked.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { format, resolveConfig } from 'prettier'

const root = resolve(import.meta.dirname, '..')
const results = join(root, 'tmp', 'clients')
const page = join(root, 'docs', 'compatibility.md')

const read = existsSync(results)
  ? readdirSync(results)
      .filter((file) => file.endsWith('.json'))
      .sort()
      .map((file) => JSON.parse(readFileSync(join(results, file), 'utf8')))
  : []
const drivers = read
  .filter(({ rows }) => rows !== undefined)
  .sort((left, right) => (left.name < right.name ? -1 : 1))
const modes = read.filter(({ mode }) => mode !== undefined)
const papers = new Set(read.flatMap(({ paper }) => (paper === undefined ? [] : [paper])))
const onDexes = read.flatMap(({ dexes }) => dexes ?? [])
const freqtrade = read.find((each) => each.freqtrade !== undefined)?.freqtrade ?? null
const order = [
  '@nktkas/hyperliquid',
  'ccxt',
  'hyperliquid (nomeida)',
  'hyperliquid-python-sdk (official)',
  'hyperliquid_rust_sdk (official)',
  'go-hyperliquid (sonirico)',
]
const clients = order.filter((client) => drivers.some((driver) => driver.client === client))
const isWhole = clients.length === order.length && freqtrade !== null

const lead = `# Compatibility

What unmodified clients see, what Guard decides and what the venue receives, as the client suite last found it (\`npm run test:clients\`; this page is made from its result by \`scripts/clients-matrix.mjs\`). How to set a client up: [Connect your bot](clients/README.md).

GUARD is \`http://127.0.0.1:8547\`, GUARD_WS is \`ws://127.0.0.1:8547/ws\`; the private key is a Guard client key, the account is the trading account.`

const cell = (text) => text.replaceAll('|', '\\|')
const table = (head, rows) =>
  [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`]
    .concat(rows.map((row) => `| ${row.map(cell).join(' | ')} |`))
    .join('\n')

function settingRow({ name, client, version, settings, rows }) {
  const paper = papers.has(name) || papers.has(name.replace(/, (testnet|sandbox)$/, ''))
  return [
    name,
    `${client} ${version}`,
    `\`${settings}\``,
    String(rows.length),
    paper ? 'yes' : 'no',
  ]
}

/** The steps of every client, with the code of Guard's decision for each. */
function matrix() {
  const steps = [...new Set(drivers.flatMap(({ rows }) => rows.map(({ step }) => step)))]
  const code = (client, step) => {
    const found = drivers
      .filter((driver) => driver.client === client)
      .flatMap(({ rows }) => rows.filter((row) => row.step === step))
      .map(({ guard }) => guard)
    const distinct = [...new Set(found)]
    return distinct.length === 0
      ? 'not a call of this client'
      : distinct.map((each) => each || 'see below').join('; ')
  }
  const shared = steps.filter(
    (step) =>
      clients.filter((client) => code(client, step) !== 'not a call of this client').length > 1,
  )
  return table(
    ['Step', ...clients],
    shared.map((step) => [step, ...clients.map((client) => code(client, step))]),
  )
}

/** The same in the modes that an owner can turn on: one cell a client, the codes of its steps. */
function modeMatrix() {
  const steps = new Map(
    modes.flatMap(({ mode, steps: rows }) =>
      rows.map(({ step }) => [JSON.stringify([mode, step]), [mode, step]]),
    ),
  )
  const code = (client, mode, step) => {
    const found = modes
      .filter((each) => each.client === client && each.mode === mode)
      .flatMap(({ steps: rows }) => rows.filter((row) => row.step === step))
      .map(({ guard }) => guard)
    return [...new Set(found)].join('; ') || 'not tried'
  }
  const rank = (mode) => modeOrder.indexOf(mode)
  return table(
    ['Mode', 'Step', ...clients],
    [...steps.values()]
      .sort((one, other) => rank(one[0]) - rank(other[0]))
      .map(([mode, step]) => [mode, step, ...clients.map((each) => code(each, mode, step))]),
  )
}
const modeOrder = [
  'cross margin',
  'sub-account, named',
  'sub-account, not named',
  'sub-account, another named',
  'trigger entries',
  'trigger entries, not turned on',
]

/** The clients that know markets of builder dexes, by their own names for them. */
function dexRows() {
  return order.flatMap((client) =>
    onDexes
      .filter((each) => each.client === client)
      .flatMap(({ version, how, steps }) =>
        steps.map(({ step, bot, guard, venue }) => [
          ...[`${client} ${version}`, `\`${how}\``, step, bot, guard, venue],
        ]),
      ),
  )
}

/** One client's steps, and those of the modes; variants that fared alike share a row. */
function details(client) {
  const own = modes.filter((each) => each.client === client)
  const inModes = modeOrder.flatMap((mode) => {
    const variants = own.filter((each) => each.mode === mode)
    const rows = stepRows(variants.map(({ driver, steps }) => ({ name: driver, rows: steps })))
    return rows.map((row) => [mode, ...row])
  })
  const head = ['Step', 'The bot sees', 'Guard decides', 'The venue receives']
  const plain = stepRows(drivers.filter((driver) => driver.client === client))
  const parts = [`## ${client}`, table(head, plain)]
  if (inModes.length > 0) parts.push('In other modes:', table(['Mode', ...head], inModes))
  return parts.join('\n\n')
}

function stepRows(variants) {
  const steps = [...new Set(variants.flatMap(({ rows }) => rows.map(({ step }) => step)))]
  return steps.flatMap((step) => {
    const ways = new Map()
    for (const { name, rows: own } of variants) {
      for (const row of own.filter((each) => each.step === step)) {
        const key = JSON.stringify([row.bot, row.guard, row.venue])
        ways.set(key, [...(ways.get(key) ?? []), name])
      }
    }
    return [...ways].map(([key, names]) => {
      const [bot, guard, venue] = JSON.parse(key)
      const who = names.length === variants.length ? step : `${step} (${names.join('; ')})`
      return [who, bot, guard || 'none', venue || 'nothing']
    })
  })
}

const settings = clients.flatMap((client) =>
  drivers.filter((driver) => driver.client === client).map(settingRow),
)
const blocks = [
  lead,
  `## Settings\n\n${table(['Client', 'Package', 'Settings', 'Steps', 'Paper mode tried'], settings)}`,
  `## Steps shared by the clients\n\nEach step is checked three ways: what the bot sees, Guard's decision event, and the venue's log.\n\n${matrix()}`,
  `## Other modes\n\nThe same clients on cross margin (\`margin = "cross"\`), on a sub-account (\`[venue] via\`) that they name or do not, and with entries that wait for a trigger (\`trigger_entries = "watched"\`).\n\n${modeMatrix()}`,
  `## Builder dexes\n\nMarkets of the builder dex xyz (\`markets = ["*", "xyz:*"]\`), which these clients know by a setting of theirs. Entries are cut by \`dex_stop_gap\` and isolated.\n\n${table(['Client', 'Setting', 'Step', 'The bot sees', 'Guard decides', 'The venue receives'], dexRows())}`,
  ...clients.map(details),
  `## Freqtrade\n\nFreqtrade ${freqtrade ?? ''}: its order flow through ccxt (leverage, entry, stop-limit on the exchange after the fill, cancel and replace), the same with Freqtrade's own exchange code against Guard, and a dry run, which reads and sends nothing. Settings: [freqtrade.md](clients/freqtrade.md).`,
  `## By their requests\n\nHummingbot and NautilusTrader are too large to install for a test: the suite signs and sends what they send, in their shapes, and makes Passivbot's calls of the ccxt that it uses (\`test/clients/frameworks.test.ts\`). Pages: [hummingbot.md](clients/hummingbot.md), [nautilus.md](clients/nautilus.md), [passivbot.md](clients/passivbot.md).`,
  `## What a client itself gets in the way of\n\n${table(
    ['Client', 'What'],
    [
      [
        'hyperliquid_rust_sdk',
        'its nonces do not follow the clock: after 30 s they are too old for Guard ([rust.md](clients/rust.md)); \`market_open\` and \`market_close\` know no address but the venue’s',
      ],
      [
        'go-hyperliquid',
        'some calls return no error for a veto; a stop in one action with its entry is answered in a way it cannot read ([go.md](clients/go.md))',
      ],
      [
        'Hummingbot, newer versions',
        'ends where its key is no API wallet of the account, unless it trades a vault or sub-account ([hummingbot.md](clients/hummingbot.md))',
      ],
      [
        'hyperliquid-python-sdk, nomeida over its socket, Hummingbot',
        'the nonce is the bare clock: two actions in one millisecond are one',
      ],
    ],
  )}`,
  `## Not connected\n\n${table(
    ['Client', 'Why'],
    [
      ['hyperliquid-sdk (evgeny-s) 2.4.2', 'its addresses are written into it and cannot be set'],
      [
        'hyperliquid-ts (majinbot) 1.2.1',
        'its list of assets stays empty, so that every order fails in it',
      ],
      ['@quantform/hyperliquid', 'a package it needs is not published'],
    ],
  )}`,
]

const style = { ...(await resolveConfig(page)), parser: 'markdown' }
const text = await format(`${blocks.join('\n\n')}\n`, style)
if (process.argv.includes('--write')) {
  writeFileSync(page, text)
  console.log(`wrote ${page}`)
} else {
  const now = existsSync(page) ? readFileSync(page, 'utf8') : ''
  const missing = isWhole ? (now === text ? [] : ['the page']) : await notIn(now)
  if (missing.length > 0) {
    console.error(`docs/compatibility.md does not say what the suite found: ${missing.join(', ')}`)
    console.error('make it anew with: npm run docs:clients')
    process.exit(1)
  }
  console.log(
    `docs/compatibility.md is what the suite found${isWhole ? '' : ' (as far as it ran)'}`,
  )
}

/** The clients that ran and whose part of the page says something else. */
async function notIn(now) {
  const missing = []
  for (const client of clients) {
    if (!now.includes(await format(details(client), style))) missing.push(client)
  }
  const lines = new Set(now.split('\n').map((line) => line.replaceAll(' ', '')))
  for (const row of dexRows()) {
    if (lines.has(`|${row.map(cell).join('|')}|`.replaceAll(' ', ''))) continue
    missing.push(`${row[0]} on a builder dex`)
  }
  return missing
}
