import type { RoleVerdict } from '../core/protocol/accountRole.ts'
import type { GuardConfigFile } from '../config/readConfig.ts'
import type { Result } from '../core/values/result.ts'

/** So many answers in a row that say the same are believed over one that said otherwise. */
const agreeing = 3

/** The file in the state directory that says: the venue has once said that the account is traded so. */
export function provenMark({ account, venue }: GuardConfigFile): string {
  return `proven-${account}-${venue.via ?? 'own'}`
}

/**
 * What the venue has said of whose account it is, and what follows from it. Any one of its answers may
 * be wrong: a first one that fits is believed; once one has contradicted the configuration, only
 * answers that agree several times in a row decide.
 */
export class RoleProof {
  /** Why nothing opens, for a person; null once the account is proven. */
  why: string | null = ''
  /** The last answer; `none` where the venue gave none that can be read. */
  #said: 'none' | 'right' | 'wrong' = 'none'
  /** How many answers in a row were like the last one. */
  #run = 0
  readonly #wasProven: boolean

  /** `wasProven`: the venue has said in an earlier run that the configuration fits. */
  constructor(wasProven: boolean) {
    this.#wasProven = wasProven
  }

  /** No answer says nothing: what the answers before it said stands. */
  hear(role: Result<RoleVerdict>): void {
    if (!role.ok) {
      if (this.#said === 'none')
        this.why = `whose account it is, the venue did not say; nothing opens before it has: ${role.error}`
      return
    }
    const { value } = role
    const said = value.ok ? 'right' : 'wrong'
    const isFirst = this.#said === 'none'
    this.#run = said === this.#said ? this.#run + 1 : 1
    this.#said = said
    if (!value.ok) this.why = this.isDenied ? value.text : this.#doubt(value.fact)
    else if (isFirst || this.isSettled) this.why = null
  }

  /** The venue says the same again and again. */
  get isSettled(): boolean {
    return this.#run >= agreeing
  }

  /**
   * How many pauses there are before it is asked again: one while a few answers more decide. It weighs
   * as much as thirty reads of the account: what stays open is asked seldom.
   */
  pauses(isForEntry: boolean): number {
    if (this.#run === 0 && isForEntry) return 5
    return this.#run > 0 && !this.isSettled ? 1 : 30
  }

  /** It is another's account, by every answer there was: whatever is sent would be for that one. */
  get isDenied(): boolean {
    return this.#said === 'wrong' && this.isSettled && !this.#wasProven
  }

  #doubt(fact: string): string {
    const before = this.#wasProven ? ', and said otherwise in an earlier run' : ''
    const more = this.isSettled ? `. It has said so ${this.#run} times: find out what is true` : ''
    return `the venue says that ${fact}${before}; nothing opens meanwhile, exits and stops go on${more}`
  }
}
