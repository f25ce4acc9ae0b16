/** Texts of the messages, as data that an operator can change. Checked at boot. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, type FieldProblem } from '../../errors.ts'

export interface SmsTexts {
  /** @param language a language tag; one without a text gets the English one */
  passcode(code: string, language: string): string
}

const FILE = 'sms.json'
const CODE = '{code}'
/** One message in the GSM 03.38 alphabet; a longer text costs a second one. */
const MAX_LENGTH = 160
const MAX_CODE_LENGTH = '0'.repeat(12)

const Texts = z.strictObject({
  passcode: z
    .string()
    .refine((text) => text.split(CODE).length === 2, `must hold ${CODE} once`)
    .refine((text) => fill(text, MAX_CODE_LENGTH).length <= MAX_LENGTH, `must fit ${MAX_LENGTH} characters`),
})
/** Texts by language tag. */
const SmsTextsFile = z.object({ en: Texts }).catchall(Texts)

/** Lists every problem of such a file's contents; empty if it is valid. */
export function problemsOfSmsTexts(value: unknown): readonly FieldProblem[] {
  const { error } = SmsTextsFile.safeParse(value)
  const issues = error?.issues ?? []
  return issues.map(({ code, path, message }) => ({ code, message, field: path.map(String).join('.') }))
}

/** Throws `configuration_invalid` with the file and its problems. */
export function loadSmsTexts(folder: string): SmsTexts {
  try {
    const { en, ...others } = SmsTextsFile.parse(JSON.parse(readFileSync(join(folder, FILE), 'utf8')))
    const texts = new Map(Object.entries(others))
    return { passcode: (code, language) => fill((texts.get(language) ?? en).passcode, code) }
  } catch (cause) {
    const issues = cause instanceof z.ZodError ? cause.issues : []
    const problems = issues.map(({ code, path, message }) => ({ code, message, field: path.join('.') }))
    throw new AppError('configuration_invalid', { file: FILE }, { cause, problems })
  }
}

function fill(text: string, code: string): string {
  return text.replace(CODE, code)
}
