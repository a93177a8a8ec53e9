// Sets up the fleet of compose.yaml in the folder that its services share; done again it changes nothing.
//
//   node set-up.mjs keys     an account and an API wallet for each Guard, and what the simulator starts with
//   node set-up.mjs homes    the schema, a member and a home for each Guard; simulator and store must run
//
// GUARD: the program; FLEET: the folder; STORE: the owner's URL of the store; SIMULATOR: its address.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const {
  GUARD: program = '/app/bin/guard',
  FLEET: folder = '/home/guard/.guard',
  STORE: store = 'postgresql://fleet_owner:only-for-show@/fleet?host=/var/run/postgresql',
  SIMULATOR: simulator = 'http://127.0.0.1:3001',
} = process.env

const members = [
  { name: 'desk-1', group: 'desk', port: 8547 },
  { name: 'desk-2', group: 'desk', port: 8548 },
  { name: 'research-1', group: 'research', port: 8549 },
]
const step = process.argv[2]
if (step === 'keys') makeKeys()
else if (step === 'homes') makeHomes()
else throw new Error('say keys or homes')

function guard(...args) {
  return execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' })
}

function secret(file, text) {
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
}

/** A paper Guard makes them: it needs no key of its own for that. */
function makeKeys() {
  const list = join(folder, 'accounts.json')
  if (existsSync(list)) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const home = join(folder, `keys-${randomBytes(4).toString('hex')}`)
  const account = () => `0x${randomBytes(20).toString('hex')}`
  const first = ['--client-key-out', join(home, 'first.key')]
  mkdirSync(home, { mode: 0o700 })
  guard('init', '--home', home, '--mode', 'paper', '--account', account(), ...first)
  const made = members.map(({ name }) => {
    const file = join(home, `${name}.key`)
    const said = guard('client', 'add', '--home', home, '--name', name, '--out', file, '--json')
    const [wallet] = /0x[0-9a-f]{40}/i.exec(said) ?? []
    return { name, account: account(), wallet, file }
  })
  const flags = made.flatMap(({ account: whose, wallet }) => [
    '--account',
    `${whose}:10000:${wallet}`,
  ])
  writeFileSync(join(folder, 'simulator.args'), flags.join(' '), { mode: 0o600 })
  writeFileSync(`${list}.next`, JSON.stringify(made), { mode: 0o600 })
  renameSync(`${list}.next`, list)
}

function makeHomes() {
  const owner = join(folder, 'fleet-admin.url')
  if (!existsSync(owner)) secret(owner, `${store}\n`)
  console.log(guard('fleet', 'init', '--url-file', owner))
  const made = JSON.parse(readFileSync(join(folder, 'accounts.json'), 'utf8'))
  for (const { name, group, port } of members) {
    const home = join(folder, name)
    const whole = join(home, 'fleet.url')
    if (existsSync(whole)) continue
    const { account, file } = made.find((each) => each.name === name)
    mkdirSync(home, { recursive: true, mode: 0o700 })
    const passphrase = join(home, 'passphrase')
    if (!existsSync(passphrase)) secret(passphrase, `${randomBytes(24).toString('hex')}\n`)
    const bot = join(folder, `${name}.client.key`)
    const venue = ['--mode', 'testnet', '--account', account, '--venue-url', simulator]
    const keys = ['--key-file', file, '--passphrase-file', passphrase, '--client-key-out', bot]
    const config = join(home, 'guard.toml')
    if (!existsSync(config)) {
      guard('init', '--home', home, ...venue, ...keys, '--listen', `127.0.0.1:${port}`)
      const text = readFileSync(config, 'utf8')
      const named = text.replace(/^\[key\]$/m, '[key]\npassphrase_file = "passphrase"')
      writeFileSync(config, `${named}\n[fleet]\nurl_file = "fleet.url"\n`)
    }
    // Last: whoever finds it finds all of it.
    const who = ['--name', name, '--group', group, '--account', account, '--network', 'testnet']
    guard('fleet', 'add', '--url-file', owner, ...who, '--out', whole)
    console.log(`${name}: ${account}`)
  }
}
