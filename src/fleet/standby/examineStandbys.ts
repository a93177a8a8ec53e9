import { shownText } from '../../core/values/shownText.ts'
import type { StoreSession } from '../storeSession.ts'

/** Heard every second while it stands by. */
const silentS = 30

/** Who stands by for the account, for a person; nobody where the store is of an earlier version. */
export async function examineStandbys(
  session: StoreSession,
): Promise<readonly { readonly text: string; readonly isWell: boolean }[]> {
  const [known] = await session.query("select to_regclass('guard.standbys')::text as name")
  if (known?.['name'] === null) return []
  return (await session.query(whoStandsBy)).map((row) => {
    const unheardS = Number(row['unheard'])
    const note = typeof row['note'] === 'string' ? shownText(row['note']) : null
    const where = shownText(String(row['host']))
    if (unheardS > silentS) {
      return { text: `the one at ${where} is unheard for ${unheardS} s`, isWell: false }
    }
    if (note === null) return { text: `one at ${where} would take over`, isWell: true }
    return { text: `the one at ${where} would start latched: ${note}`, isWell: false }
  })
}

/** But for the one that acts itself by now. */
const whoStandsBy = `
select s.host, s.note, round(extract(epoch from clock_timestamp() - s.seen_at))::text as unheard
  from guard.standbys s left join guard.writers w on w.guard_id = s.guard_id
  where s.guard_id = guard.own_id() and s.instance is distinct from w.instance order by s.host`
