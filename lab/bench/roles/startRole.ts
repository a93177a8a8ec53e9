import { fork } from 'node:child_process'
import { setPriority } from 'node:os'
import type { Json } from '../../../src/core/protocol/action.ts'
import { failed } from '../../../src/cli/cliError.ts'
import { startBareRole } from './bareRole.ts'
import { startCrowdRole } from './crowdRole.ts'
import { startGuardRole } from './guardRole.ts'
import { startHostileRole } from './hostileRole.ts'
import { startListenerRole } from './listenerRole.ts'
import { startPassRole } from './passRole.ts'
import { startVenueRole } from './venueRole.ts'
import type { Role } from './role.ts'

export const roleNames = ['guard', 'venue', 'pass', 'bare', 'listener', 'hostile', 'crowd'] as const
export type RoleName = (typeof roleNames)[number]

const starters: Readonly<Record<RoleName, (setup: Json) => Promise<Role>>> = {
  guard: startGuardRole,
  venue: startVenueRole,
  pass: startPassRole,
  bare: startBareRole,
  listener: startListenerRole,
  hostile: startHostileRole,
  crowd: startCrowdRole,
}

/** Where the parts run: each in a process of its own, or all of them in this one. */
export type StartRole = (
  name: RoleName,
  setup: Json,
  environment?: Readonly<Record<string, string>>,
) => Promise<Role>

export const startHere: StartRole = (name, setup) => starters[name](setup)

/** Starts this program again as the role; it ends with its parent. */
export const startApart: StartRole = async (name, setup, environment = {}) => {
  const child = fork(process.argv[1] ?? '', ['bench', '--role', name], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, (answer: Answer) => void>()
  let asked = 0
  let ended: string | null = null
  child.on('message', (message: Answer) => {
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  child.on('exit', (code) => {
    ended = `the ${name} process ended with code ${String(code)}`
    for (const [id, answer] of waiting) answer({ id, error: ended })
    waiting.clear()
  })
  const ask = (question: string, argument: Json = null): Promise<Json> =>
    new Promise((resolve, reject) => {
      if (ended !== null) {
        reject(failed(ended))
        return
      }
      const id = asked++
      waiting.set(id, ({ value, error }) => {
        if (error === undefined) resolve(value ?? null)
        else reject(failed(error))
      })
      // What cannot be sent is told by the end of the process, which says why.
      child.send({ id, question, argument } satisfies Question, () => undefined)
    })
  const url = await ask('start', setup)
  return {
    url: String(url),
    ask,
    stop: async () => {
      if (ended !== null) return
      await ask('stop')
      child.disconnect()
    },
  }
}

interface Question {
  readonly id: number
  readonly question: string
  readonly argument: Json
}

interface Answer {
  readonly id: number
  readonly value?: Json
  readonly error?: string
}

/** Whoever attacks gets of the processor what the others leave: it is not what is measured. */
const hostileNiceness = 5

/** The other side: this process is the role until its parent lets it go. */
export async function serveRole(name: RoleName): Promise<void> {
  if (name === 'hostile') setPriority(hostileNiceness)
  let role: Role | null = null
  const answer = async ({ question, argument }: Question): Promise<Json> => {
    if (question === 'start') {
      role = await starters[name](argument)
      return role.url
    }
    if (role === null) throw new Error('it was not started')
    if (question !== 'stop') return await role.ask(question, argument)
    await role.stop()
    return null
  }
  process.on('message', (message: Question) => {
    answer(message).then(
      (value) => process.send?.({ id: message.id, value }),
      (error: unknown) => process.send?.({ id: message.id, error: String(error) }),
    )
  })
  await new Promise<void>((resolve) => {
    process.once('disconnect', resolve)
  })
  process.exit(0)
}
