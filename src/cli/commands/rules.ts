import { parse, TomlError } from 'smol-toml'
import type { Command } from 'commander'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import { readOwnerFile } from '../../system/ownerFile.ts'
import { codeOf } from '../../config/secretFile.ts'
import { isObject } from '../../core/protocol/fields.ts'
import { diffRules } from '../../core/rules/diffRules.ts'
import { readRules } from '../../core/rules/readRules.ts'
import type { Problem } from '../../core/rules/readRules.ts'
import { defaultRules } from '../../core/rules/rules.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { ruleTable } from '../../core/rules/ruleTable.ts'
import { boundsText, ruleValueText } from '../../core/rules/ruleText.ts'
import { decodedRules, decodeRules, encodeRules } from '../../core/rules/rulesCode.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { err, ok } from '../../core/values/result.ts'
import { refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { money } from '../figures.ts'
import { configOf, runningOn } from '../homeConfig.ts'
import { missingMarketLines } from '../setup/missingMarketLines.ts'
import { rulesInMoney } from '../setup/rulesInMoney.ts'
import { rulesToml } from '../setup/rulesToml.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

export function rulesCommand(program: Command, terminal: Terminal): void {
  const rules = program.command('rules').description('the rules, and rules codes (gr1_..)')
  const add = (name: string, text: string, example: string, next: string): Command =>
    teach(withJson(withHome(rules.command(name).description(text))), [example], next)

  add(
    'show',
    'every rule with its value, bounds and meaning, and what the limits are worth',
    'guard rules show',
    'change [rules] of guard.toml and restart Guard',
  ).action((options: CommonOptions) => show(options, terminal))
  add(
    'check',
    'check the whole configuration without starting',
    'guard rules check',
    'guard run',
  ).action(async (options: CommonOptions) => {
    const config = configOf(options, terminal)
    const code = encodeRules(config.rules.rules)
    const missing = await missingNow(config)
    if (options.json === true) printJson(terminal, { ok: true, rules: code, missing })
    else terminal.out(`The configuration is valid. Rules code: ${code}\n${shown(missing)}`)
  })
  add(
    'encode',
    'a [rules] table from a file (- is standard input) as a rules code',
    'guard rules encode rules.toml',
    'guard init --rules CODE',
  )
    .argument('[file]', 'the file, or - for standard input', '-')
    .action(async (file: string, options: CommonOptions) => {
      const code = encodeRules(await rulesFrom(file, terminal))
      if (options.json === true) printJson(terminal, { rules: code })
      else terminal.out(`${code}\n`)
    })
  add(
    'decode',
    'a rules code as a [rules] table',
    'guard rules decode gr1_e30',
    'guard rules diff shows what differs',
  )
    .argument('<code>', 'the rules code')
    .action((code: string, options: CommonOptions) => {
      const decoded = readCode(code)
      if (options.json === true) printJson(terminal, decodedRules(decoded))
      else
        terminal.out(
          `[rules]\n${rulesToml(decoded)
            .map((line) => `${line}\n`)
            .join('')}`,
        )
    })
  add(
    'diff',
    'what differs between two rule sets, each a code or a file',
    'guard rules diff gr1_e30 rules.toml',
    'guard rules show',
  )
    .argument('<from>', 'a rules code, a file with a [rules] table, or "default"')
    .argument('<to>', 'the same')
    .action(async (from: string, to: string, options: CommonOptions) => {
      const differences = diffRules(await rulesFrom(from, terminal), await rulesFrom(to, terminal))
      if (options.json === true) printJson(terminal, { differences })
      else if (differences.length === 0) terminal.out('No difference.\n')
      for (const each of options.json === true ? [] : differences) {
        const colour = ['looser', 'by market'].includes(each.direction) ? 'yellow' : 'green'
        terminal.out(`${each.key}: ${each.from} -> ${each.to} ${paint(colour, each.direction)}\n`)
      }
    })
}

async function show(options: CommonOptions, terminal: Terminal): Promise<void> {
  const config = configOf(options, terminal)
  const { rules } = config.rules
  const missing = await missingNow(config)
  if (options.json === true) {
    printJson(terminal, { code: encodeRules(rules), rules: decodedRules(rules), missing })
  } else {
    showText(rules, await equityNow(config), terminal)
    terminal.out(shown(missing))
  }
}

/** What the rules say of markets that the venue does not have, as the Guard that runs here reads it. */
function missingNow(config: GuardConfigFile): Promise<string[]> {
  return missingMarketLines(async (request) => {
    try {
      return ok(await runningOn(config).post('/info', request))
    } catch (error) {
      return err(String(error))
    }
  }, config.rules)
}

function shown(missing: readonly string[]): string {
  return missing.map((line) => paint('yellow', `${line}\n`)).join('')
}

/** As the Guard that runs on this home sees it; null where none does, or it does not know yet. */
async function equityNow(config: GuardConfigFile): Promise<Decimal | null> {
  try {
    const status = await runningOn(config).get('/guard/status')
    const risk = isObject(status) ? status['risk'] : null
    const equity = isObject(risk) ? Decimal.parse(String(risk['equity'])) : null
    return equity?.ok === true ? equity.value : null
  } catch {
    return null
  }
}

function showText(rules: Rules, equity: Decimal | null, terminal: Terminal): void {
  for (const row of ruleTable) {
    const value = ruleValueText(row, rules)
    const isDefault = value === ruleValueText(row, defaultRules)
    terminal.out(
      `${row.key.padEnd(26)} ${isDefault ? value : paint('cyan', value)}  (${boundsText(row)})\n`,
    )
    terminal.out(paint('gray', `${' '.repeat(27)}${row.text}\n`))
  }
  const whose =
    equity === null
      ? 'in percent of the equity (a Guard that runs would tell it)'
      : `for the equity of ${money(equity.toString())} that the running Guard sees`
  terminal.out(`\nwhat the limits are worth, ${whose}:\n`)
  for (const line of rulesInMoney(rules, equity)) terminal.out(`- ${line}\n`)
  terminal.out(`\nrules code: ${encodeRules(rules)}\n`)
}

async function rulesFrom(source: string, terminal: Terminal): Promise<Rules> {
  if (source === 'default') return defaultRules
  if (source.startsWith('gr1_')) return readCode(source)
  if (source === '-' && terminal.isInteractive)
    terminal.err('Type a [rules] table; Ctrl-D ends it.\n')
  const text = source === '-' ? await terminal.readStdin() : fileText(source)
  return tableOf(text, source)
}

function fileText(path: string): string {
  try {
    return readOwnerFile(path)
  } catch (error) {
    throw refused(`${path} cannot be read (${codeOf(error)})`, [
      'a rules code (gr1_..), a file with a [rules] table, or default',
    ])
  }
}

/** A file with a `[rules]` table, or the table's lines alone. */
function tableOf(text: string, source: string): Rules {
  let table: Record<string, unknown>
  try {
    table = parse(text)
  } catch (error) {
    if (error instanceof TomlError) throw refused(`${source}, line ${error.line}: not TOML`)
    throw error
  }
  const rules = readRules('rules' in table ? table['rules'] : table)
  if (rules.ok) return rules.value
  throw refused(`${source}: these rules are not taken`, rules.error.map(problemLine))
}

function problemLine({ path, text }: Problem): string {
  return `${path.join('.')}: ${text}`
}

function readCode(code: string): Rules {
  const rules = decodeRules(code)
  if (rules.ok) return rules.value
  throw refused('this is not a rules code Guard takes', rules.error.map(problemLine))
}
