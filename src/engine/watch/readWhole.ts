import { err, ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import { pictureParts } from './picture.ts'
import { readPart } from './readPart.ts'

/**
 * What it costs, of the venue's request weight, where nothing is held on builder dexes: mode, fills,
 * orders, ledger, markets and the list of dexes 20 each, three cheap ones 2 each.
 */
export const wholeReadWeight = 126

/**
 * Reads every part of the account anew, whatever was read or told before, and the recent fills. The
 * mode comes first: what the balance and the transfers mean depends on it.
 */
export async function readWhole(deps: Parameters<typeof readPart>[0]): Promise<Result<null>> {
  const mode = await readPart(deps, 'mode', 'watch')
  if (!mode.ok) return mode
  const others = pictureParts.filter((part) => part !== 'mode')
  // Where something is held on other dexes, what covers it is looked at, too; nobody waits for it.
  for (const dex of deps.dexes.inUse) deps.reads.orders('watch', dex).catch(() => undefined)
  const results = await Promise.all([
    // Fills that explain a changed position should be known before the position is shown.
    deps.reads.fills('watch'),
    ...(deps.account.twaps.mayHaveFilled ? [deps.reads.slices('watch')] : []),
    ...others.map((part) => readPart(deps, part, 'watch')),
  ])
  const [failure] = results.flatMap((result) => (result.ok ? [] : [result.error]))
  return failure === undefined ? ok(null) : err(failure)
}
