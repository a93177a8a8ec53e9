import type { Attack, Group } from './attack.ts'
import { flat, withinRules } from './positions.ts'

/** An attack that trades on its way: it begins with a flat account, and leaves one behind. */
export function fromFlat(group: Group, name: string, tries: string, run: Attack['run']): Attack {
  return {
    group,
    name,
    tries,
    venue: 'trades',
    needsTrading: true,
    run: async (attacker) => {
      await flat(attacker)
      const how = await run(attacker)
      await flat(attacker)
      return how
    },
  }
}

/** The same, and whatever it has opened must be covered and within the rules. */
export function staysWithinRules(
  group: Group,
  name: string,
  tries: string,
  run: Attack['run'],
): Attack {
  return fromFlat(group, name, tries, async (attacker) => {
    const how = await run(attacker)
    return `${how}; ${await withinRules(attacker)}`
  })
}
