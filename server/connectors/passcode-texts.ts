/** Texts that carry a passcode, as data that an operator can change: one file for each kind of contact. Checked at boot. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'
import { AppError, type FieldProblem } from '../errors.ts'
import type { ContactKind } from '../proofing/contact-kinds.ts'
import type { PasscodeMessage } from './carrier.ts'

/** @param language a language tag; one without a text gets the English one */
export type WritePasscode = (
  code: string,
  language: string,
) => Pick<PasscodeMessage, 'text' | 'subject' | 'language'>
export type PasscodeTexts = Readonly<Record<ContactKind, WritePasscode>>

const CODE = '{code}'
const MAX_CODE_LENGTH = '0'.repeat(12)
/** RFC 5322 recommends lines of 78 characters; the name of the field takes nine. */
const MAX_SUBJECT_LENGTH = 69

interface Form {
  readonly maxLength: number
  /** How often a text may hold the code. */
  readonly maxCodes: number
  readonly hasSubject: boolean
  readonly write: (code: string) => string
}

const asDigits = (code: string): string => code
/** The digits apart, so that no voice reads one large number. */
const forVoice = (code: string): string => [...code].join(', ')

const FORMS: Readonly<Record<ContactKind, Form>> = {
  // One message in the GSM 03.38 alphabet; a longer text costs a second one.
  mobile: { maxLength: 160, maxCodes: 1, hasSubject: false, write: asDigits },
  email: { maxLength: 1000, maxCodes: 1, hasSubject: true, write: asDigits },
  // A call is not repeated, so the code may be.
  landline: { maxLength: 400, maxCodes: 3, hasSubject: false, write: forVoice },
}

const makeSchema = (kind: ContactKind) => {
  const { maxLength, maxCodes, hasSubject, write } = FORMS[kind]
  const longest = write(MAX_CODE_LENGTH)
  const times = maxCodes === 1 ? 'once' : `one to ${maxCodes} times`
  const passcode = z
    .string()
    .refine((text) => {
      const codes = text.split(CODE).length - 1
      return codes >= 1 && codes <= maxCodes
    }, `must hold ${CODE} ${times}`)
    .refine((text) => fill(text, longest).length <= maxLength, `must fit ${maxLength} characters`)
  const subject = z
    .string()
    .min(1)
    .max(MAX_SUBJECT_LENGTH)
    .regex(/^\P{Cc}*$/u, 'must be one line')
  const Texts = z.strictObject(hasSubject ? { subject, passcode } : { passcode })
  /** Texts by language tag. */
  return z.object({ en: Texts }).catchall(Texts)
}

/** Lists every problem of such a file's contents; empty if it is valid. */
export function listTextProblems(kind: ContactKind, value: unknown): readonly FieldProblem[] {
  return describeProblems(makeSchema(kind).safeParse(value).error)
}

const describeProblems = (error: z.ZodError | undefined): readonly FieldProblem[] =>
  (error?.issues ?? []).map(({ code, path, message }) => ({
    code,
    message,
    field: path.map(String).join('.'),
  }))

/** Throws `configuration_invalid` with the file and its problems. */
export function loadPasscodeTexts(kind: ContactKind, file: string): WritePasscode {
  const { write } = FORMS[kind]
  try {
    const { en, ...others } = makeSchema(kind).parse(JSON.parse(readFileSync(file, 'utf8')))
    const texts = new Map(Object.entries({ ...others, en }))
    return (code, wanted) => {
      const language = texts.has(wanted) ? wanted : 'en'
      const { passcode, subject } = texts.get(language) ?? en
      return {
        text: fill(passcode, write(code)),
        ...(typeof subject === 'string' ? { subject } : {}),
        language,
      }
    }
  } catch (cause) {
    const problems = describeProblems(cause instanceof z.ZodError ? cause : undefined)
    throw new AppError('configuration_invalid', { file: basename(file) }, { cause, problems })
  }
}

function fill(text: string, code: string): string {
  return text.replaceAll(CODE, code)
}
