/** What the schema library reports of a field that it refuses, as far as the words below need it. */
interface FieldIssue {
  readonly code: string
  readonly input?: unknown
  readonly expected?: unknown
  readonly values?: readonly unknown[]
  readonly maximum?: unknown
}

const nouns: { readonly [expected: string]: string } = { string: 'a text', array: 'a list' }

/** What a field must be, in words for whoever wrote the file; undefined where the schema says it. */
export function fieldWords(issue: FieldIssue): string | undefined {
  const wanted = wantedOf(issue)
  return wanted !== undefined && issue.input === undefined ? `is missing; it ${wanted}` : wanted
}

function wantedOf({ code, expected, values, maximum }: FieldIssue): string | undefined {
  switch (code) {
    case 'invalid_type':
      return `must be ${nouns[String(expected)] ?? 'a section'}`
    case 'invalid_value':
      return `must be ${values?.map((each) => JSON.stringify(each)).join(' or ') ?? ''}`
    case 'too_small':
      return 'must not be empty'
    case 'too_big':
      return `is longer than ${String(maximum)}`
    default:
      return undefined
  }
}
