import type { RuleName } from './ruleNames.ts'

/** Something happened that must not; it ends the run, and its text is what a person reads first. */
export class Violation extends Error {
  readonly rule: RuleName

  constructor(rule: RuleName, text: string) {
    super(`${rule}: ${text}`)
    this.rule = rule
  }
}
