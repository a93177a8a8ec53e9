import { codes } from './codes.ts'

/** The reason codes as a page of the documentation, made from the table and in its order. */
export function codesMarkdown(): string {
  return [
    '# Reason codes',
    '',
    'Made from the code table. Where several apply, the one that stands first here is said. Within',
    'schema 1 codes may be added, and never change meaning.',
    '',
    '| Code | Verdict | When | What to do |',
    '|---|---|---|---|',
    ...codes.map(
      ({ code, verdict, when, remedy }) =>
        `| \`${code}\` | ${verdict ?? 'in the reply only'} | ${when} | ${remedy} |`,
    ),
    '',
  ].join('\n')
}
