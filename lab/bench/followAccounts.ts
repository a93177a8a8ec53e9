import type { Json } from '../../src/core/protocol/action.ts'
import type { ListenerSetup } from './roles/listenerRole.ts'
import type { Role } from './roles/role.ts'
import type { BenchAccount, BenchWorld } from './world.ts'

/**
 * Follows accounts that no Guard follows, as any bot would: otherwise only Guard's orders would wait
 * for what the venue tells its stream.
 */
export async function followAccounts(
  { startRole, venue }: BenchWorld,
  accounts: readonly BenchAccount[],
): Promise<Role> {
  const users = accounts.map(({ account }) => account.address)
  const setup: ListenerSetup = { venueUrl: venue.url, users }
  return await startRole('listener', setup as unknown as Json)
}
