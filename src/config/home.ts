import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Everything of one Guard lives in its home. */
export interface Home {
  readonly path: string
  readonly configFile: string
}

/** `--home`, else `GUARD_HOME`, else `~/.guard`; an empty variable counts as not set. */
export function findHome(flag: string | undefined, environment: NodeJS.ProcessEnv): Home {
  const { GUARD_HOME: variable } = environment
  const given = flag ?? (variable === '' ? undefined : variable)
  const path = resolve(given ?? join(homedir(), '.guard'))
  return { path, configFile: join(path, 'guard.toml') }
}

/** The state directory as a broken configuration leaves it: what `guard kill` falls back on. */
export function defaultStateDir(home: Home): string {
  return join(home.path, 'state')
}
