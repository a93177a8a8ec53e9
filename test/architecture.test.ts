import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** A folder may import itself and folders of a smaller rank; equal ranks do not know each other. */
const ranks: Record<string, number> = {
  'core/values': 1,
  'core/protocol': 2,
  'core/rules': 2,
  'core/events': 3,
  'core/venueLimits': 3,
  'core/account': 3,
  'core/judge': 4,
  'core/safety': 4,
  crypto: 3,
  engine: 5,
  'engine/send': 5.1,
  'engine/watch': 5.2,
  'engine/request': 5.3,
  'engine/start': 5.4,
  'engine/view': 5.5,
  'engine/createGuard.ts': 5.6,
  journal: 6,
  venue: 6,
  gateway: 6,
  alerts: 6,
  monitor: 6,
  client: 6,
  config: 6,
  system: 5.5,
  // The Guards of one machine and what they share; its ledger runs on the journal's SQLite thread.
  host: 6.5,
  // What only a Guard of a fleet loads; it reads the journal, and the journal knows nothing of it.
  fleet: 6.5,
  assembly: 7,
  mcp: 7,
  cli: 8,
  // The laboratory, a program of its own. Nothing of Guard knows it (a test of its own below).
  'lab/sim': 4,
  'lab/fakes': 7,
  'lab/redteam': 7,
  'lab/storm': 8,
  // Takes the storm's time and chance; the fleet it is about is the product's.
  'lab/fleetStorm': 9,
  'lab/demo': 9,
  'lab/bench': 10,
  'lab/commands': 11,
  lab: 12,
}
/**
 * What the simulator must not share with Guard, nor an attacker or an agent's server know of it,
 * whatever its rank.
 */
const forbidden: Record<string, readonly string[]> = {
  'lab/sim': [
    'core/rules',
    'core/events',
    'core/venueLimits',
    'core/account',
    'core/judge',
    'core/safety',
  ],
  // A client of Guard's HTTP port, and of nothing else of it.
  mcp: [
    'core/account',
    'core/safety',
    'core/venueLimits',
    'engine',
    'engine/send',
    'engine/watch',
    'engine/request',
    'engine/start',
    'engine/view',
    'engine/createGuard.ts',
    'journal',
    'venue',
    'gateway',
    'alerts',
    'monitor',
    'config',
    'system',
    'assembly',
  ],
  'lab/redteam': [
    'core/rules',
    'core/events',
    'core/venueLimits',
    'core/account',
    'core/judge',
    'core/safety',
    'engine',
    'engine/send',
    'engine/watch',
    'engine/request',
    'engine/start',
    'engine/view',
    'engine/createGuard.ts',
    'journal',
    'venue',
    'gateway',
    'assembly',
    'cli',
    'lab/sim',
  ],
}

const banned: readonly { where: RegExp; what: RegExp; instead: string }[] = [
  {
    where: /^src\/(core|engine)\/|^lab\/sim\/engine\//,
    what: /\bDate\.now\(/,
    instead: 'take the Clock',
  },
  {
    where: /^src\/(core|engine)\/|^lab\/sim\//,
    what: /\bMath\.random\(/,
    instead: 'take the Random port or a seed',
  },
  {
    where: /^src\/core\//,
    what: /from 'node:|\basync\b|\bawait\b|\bsetTimeout\(/,
    instead: 'core is pure and synchronous',
  },
  { where: /^src\/core\//, what: /\bparseFloat\(|\bNumber\(|\btoFixed\(/, instead: 'Decimal' },
]

const files = ['src', 'lab']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(folder, file),
    ),
  )
  .filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture|d)\.tsx?$/.test(file))
  .filter((file) => !file.startsWith('src/monitor/page/'))

/** `core/judge`, `engine/send`, `lab/sim`: the folder that has a rank. */
function folderOf(file: string): string {
  const [top = '', first = '', second = ''] = file.split('/')
  if (top === 'lab') return first.endsWith('.ts') ? 'lab' : `lab/${first}`
  if (first === 'core') return `core/${second}`
  // What all rooms of the engine share lies beside them; what puts them together is above them.
  const isRoom = first === 'engine' && (!second.endsWith('.ts') || second === 'createGuard.ts')
  return isRoom ? `engine/${second}` : first
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/from '(\.[^']+)'|import\('(\.[^']+)'\)/g)].map((match) =>
    relative(root, resolve(root, dirname(file), match[1] ?? match[2] ?? '')),
  )
}

test('every file lives in a known folder', () => {
  expect(files.filter((file) => ranks[folderOf(file)] === undefined)).toEqual([])
})

test('imports only go down', () => {
  const wrong = files.flatMap((file) => {
    const folder = folderOf(file)
    return importsOf(file)
      .map(folderOf)
      .filter((target) => target !== folder)
      .filter(
        (target) =>
          (ranks[target] ?? Infinity) >= (ranks[folder] ?? 0) ||
          forbidden[folder]?.includes(target),
      )
      .map((target) => `${file} imports ${target}`)
  })
  expect(wrong).toEqual([])
})

test('nothing of Guard knows its laboratory', () => {
  const wrong = files
    .filter((file) => file.startsWith('src/'))
    .filter((file) => importsOf(file).some((target) => target.startsWith('lab/')))
  expect(wrong).toEqual([])
})

test('nothing banned is said', () => {
  const wrong = files.flatMap((file) =>
    banned
      .filter(({ where, what }) => where.test(file) && what.test(code(file)))
      .map(({ what, instead }) => `${file}: ${String(what)}; instead: ${instead}`),
  )
  expect(wrong).toEqual([])
})

test('a file has at most 400 lines', () => {
  const long = files.filter(
    (file) => readFileSync(join(root, file), 'utf8').split('\n').length > 401,
  )
  expect(long).toEqual([])
})

/** The source without comments: a comment may say what code may not. */
function code(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}
