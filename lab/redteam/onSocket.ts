import type { Attacker } from './attacker.ts'
import type { Talk } from './talk.ts'

/** Uses one socket, and closes it afterwards. */
export async function onSocket<T>(attacker: Attacker, use: (talk: Talk) => Promise<T>): Promise<T> {
  const talk = await attacker.talk()
  try {
    return await use(talk)
  } finally {
    talk.end()
  }
}
