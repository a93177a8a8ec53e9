import tseslint from 'typescript-eslint'

const noBarrels = [
  'error',
  { selector: 'ExportDefaultDeclaration', message: 'Use a named export.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file itself.' },
  {
    selector: 'ExportNamedDeclaration[source]',
    message: 'No re-exports: import from the file itself.',
  },
]

export default tseslint.config({
  files: ['src/**/*.ts', 'lab/**/*.ts'],
  ignores: ['**/*.test.ts', '**/*.fixture.ts', 'src/monitor/page/**'],
  languageOptions: {
    parser: tseslint.parser,
    parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
  },
  plugins: { '@typescript-eslint': tseslint.plugin },
  rules: {
    '@typescript-eslint/no-floating-promises': 'error',
    '@typescript-eslint/no-misused-promises': 'error',
    '@typescript-eslint/await-thenable': 'error',
    '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
    '@typescript-eslint/switch-exhaustiveness-check': [
      'error',
      { considerDefaultExhaustiveForUnions: true },
    ],
    '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
    '@typescript-eslint/no-explicit-any': 'error',
    '@typescript-eslint/no-non-null-assertion': 'error',
    '@typescript-eslint/consistent-type-imports': 'error',
    '@typescript-eslint/only-throw-error': 'error',
    '@typescript-eslint/use-unknown-in-catch-callback-variable': 'error',
    'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
    'no-param-reassign': 'error',
    'no-restricted-syntax': noBarrels,
  },
})
