// What a run says about each method, in words and in numbers.

/**
 * `conforming`: the test passed, or all it missed were parts of a schema that no answer happened to
 * show (the live account that the test asks about has a history of years).
 * `refused`: not taken, and the venue refuses it too. `not implemented`: the simulator does not know it.
 * `older schema`: different, but conforming once the fields are as they were that the venue has changed
 * since, by answers recorded from it.
 * `different`: another answer than the test expects, or one that does not fit its schema.
 */
export function judge({ steps, error, isSkipped, after, later }) {
  if (later !== undefined) {
    return { verdict: 'older schema', why: `different: the suite's schema is older: ${later}` }
  }
  if (isSkipped) return { verdict: 'skipped', why: 'the suite skips it' }
  const problems = [error, ...(steps ?? []).map((step) => step.error), after]
    .filter((each) => each !== null && each !== undefined)
    .map(verdictOf)
  const worst = problems.find(({ verdict }) => verdict !== 'conforming') ?? problems[0]
  return worst ?? { verdict: 'conforming', why: '' }
}

function verdictOf({ message, missing, status }) {
  if (missing !== null) {
    return { verdict: 'conforming', why: `not shown: ${missing.join(' ')}` }
  }
  const first = message.split('\n')[0].slice(0, 200)
  if (/is not supported by the simulator|Failed to deserialize/.test(message) || status === 422) {
    return { verdict: 'not implemented', why: first }
  }
  if (/failed validation/.test(message)) {
    const errors = message.slice(message.indexOf('Errors:')).replace(/\s+/g, ' ')
    return { verdict: 'different', why: `violates the schema: ${errors.slice(0, 600)}` }
  }
  return { verdict: 'different', why: first }
}

/** Prints every method and the totals; true where every method conforms, or would but for the suite's age. */
export function printReport(results, isJson) {
  const judged = results.map((result) => ({
    ...{ kind: result.kind, method: result.method, ...judge(result) },
  }))
  const kinds = [...new Set(judged.map(({ kind }) => kind))]
  const totals = kinds.map((kind) => totalOf(kind, judged))
  if (isJson) console.log(JSON.stringify({ totals, methods: judged }, null, 2))
  else {
    for (const kind of kinds) printKind(kind, judged)
    for (const total of totals) console.log(lineOf(total))
  }
  return totals.every(({ conforming, older, methods }) => conforming + older === methods)
}

function printKind(kind, judged) {
  const mine = judged.filter((each) => each.kind === kind)
  for (const verdict of ['conforming', 'skipped', 'not implemented', 'older schema', 'different']) {
    const some = mine.filter((each) => each.verdict === verdict)
    if (some.length === 0) continue
    console.log(`\n${kind}, ${verdict} (${some.length})`)
    for (const { method, why } of some.sort((a, b) => (a.method < b.method ? -1 : 1))) {
      console.log(`  ${method}${why === '' ? '' : `: ${why}`}`)
    }
  }
}

function totalOf(kind, judged) {
  const mine = judged.filter((each) => each.kind === kind)
  const count = (verdict) => mine.filter((each) => each.verdict === verdict).length
  return {
    kind,
    methods: mine.length - count('skipped'),
    conforming: count('conforming'),
    complete: mine.filter(({ verdict, why }) => verdict === 'conforming' && why === '').length,
    notImplemented: count('not implemented'),
    older: count('older schema'),
    different: count('different'),
    violations: mine.filter(({ why }) => why.startsWith('violates')).length,
  }
}

function lineOf({ kind, methods, conforming, complete, older, ...rest }) {
  const { notImplemented, different, violations } = rest
  return (
    `${kind}: ${conforming} of ${methods} conform (${complete} with every part of the schema shown), ` +
    `${older} where the suite's schema is older, ${notImplemented} not implemented, ${different} different, ${violations} schema violations`
  )
}
