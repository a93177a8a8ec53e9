// Runs the storm: worlds of Guard and the simulator.
import { bundled } from './bundled.mjs'
import { refuse, toolOptions } from './toolOptions.mjs'

const usage = `npm run storm -- [options]

Guard against the simulator in worlds full of faults; every world is its seed (docs/reliability.md).

  --seed N         the first seed (1)
  --seeds COUNT    so many worlds, one for each seed (1)
  --seconds S      how long each storms, by its own clock (20)
  --hours H        the same in hours
  --focus WHAT     worlds made for faults: "each" in turn, "pairs" of them, "triples" that the seed
                   draws; for what bots and people do in several steps: "habits" in turn; with
                   builder dexes: "dexes"; of every account and every kind of order, what waits and runs at
                   bad moments: "accounts"; with an agent that trades for days at a person's pace, the faults
                   far apart: "agent"; or names of faults and habits: a,b
  --week           the same as --focus agent --hours 168
  --reads          in every world a bot reads all it can, and the venue counts the weight
  --follows        in every world a bot asks for streams, gives them up and starts over; the venue
                   counts sockets and messages
  --agent          in every world an agent trades through the tools of guard mcp
  --margin WHAT    in every world the rules allow cross margin: "cross", or "wide" with every other limit
                   so loose that the collateral bounds
  --shrink         a world that fails, with as few steps as still fail
  --keep-going     also after a world that failed
  --trace          all that happens`

const { values } = toolOptions(usage, {
  seed: { least: 0, usual: 1 },
  seeds: { least: 1, usual: 1 },
  seconds: { least: 0.001, usual: 20, isWhole: false },
  hours: { least: 0.000001, isWhole: false },
  focus: 'text',
  reads: 'flag',
  follows: 'flag',
  agent: 'flag',
  week: 'flag',
  margin: 'text',
  shrink: 'flag',
  'keep-going': 'flag',
  trace: 'flag',
})
const { plannerOf, storm } = await bundled('lab', 'storm', 'main.ts')
const hours = values.hours ?? (values.week ? 168 : undefined)
const seconds = hours === undefined ? values.seconds : hours * 3_600
if (values.week && ![undefined, 'agent'].includes(values.focus)) {
  refuse(usage, '--week is a world of --focus agent')
}
const planFor = plannerOf(values.week ? 'agent' : values.focus, seconds * 1_000)
if (typeof planFor === 'string') refuse(usage, planFor)
if (![undefined, 'cross', 'wide'].includes(values.margin)) refuse(usage, '--margin: cross or wide')
const { seed, seeds, shrink, trace } = values
const choices = { first: seed, count: seeds, isShrunk: shrink, isTraced: trace }
const also = {
  ...(values.reads && { hasReader: true }),
  ...(values.follows && { hasFollower: true }),
  ...(values.agent && { hasAgent: true }),
  ...(values.margin && { margin: values.margin }),
}
const planned = (seed) => ({ ...planFor(seed), ...also })
process.exit(await storm(planned, { ...choices, keepsGoing: values['keep-going'] }))
