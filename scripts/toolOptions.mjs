import { parseArgs } from 'node:util'

/**
 * Reads the options of a tool of this folder. `flag` is there or not, `text` is any, a number is
 * given as its least and its default; a number that is none must not count as nothing to do.
 * Whoever asks for help gets the usage; whoever asks for what there is not, too, and an error.
 */
export function toolOptions(usage, kinds, args = process.argv.slice(2), takesPaths = false) {
  const entries = Object.entries(kinds)
  const options = Object.fromEntries(
    entries.map(([name, kind]) => [name, { type: kind === 'flag' ? 'boolean' : 'string' }]),
  )
  let parsed
  try {
    parsed = parseArgs({
      args,
      allowPositionals: takesPaths,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    return refuse(usage, error.message.split('. ')[0])
  }
  if (parsed.values.help) {
    console.log(usage)
    process.exit(0)
  }
  const values = {}
  for (const [name, kind] of entries) {
    const given = parsed.values[name]
    if (kind === 'flag') values[name] = given === true
    else values[name] = kind === 'text' ? given : numberOf(usage, name, kind, given)
  }
  return { values, paths: parsed.positionals }
}

export function refuse(usage, problem) {
  console.error(`${problem}\n\n${usage}`)
  process.exit(2)
}

function numberOf(usage, name, { least, usual, isWhole = true }, given) {
  if (given === undefined) return usual
  const value = Number(given)
  const fits = given.trim() !== '' && value >= least && value <= Number.MAX_SAFE_INTEGER
  if (fits && (!isWhole || Number.isInteger(value))) return value
  const what = isWhole ? 'a whole number' : 'a number'
  return refuse(usage, `--${name} must be ${what} of at least ${least}, not "${given}"`)
}
