import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { failed } from '../cliError.ts'

/** Where the built monitor page is: beside the bundle, or in `dist` of a clone. */
export function pageDirectory(): string {
  const here = dirname(fileURLToPath(import.meta.url))
  const places = ['monitor', '../monitor', '../../monitor', '../../../dist/monitor']
  const found = places
    .map((place) => join(here, place))
    .find((each) => existsSync(join(each, 'page.js')))
  if (found === undefined) throw failed('the monitor page is not built', ['run: npm run build'])
  return found
}
