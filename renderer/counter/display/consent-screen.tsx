/**
 * The consent question for the applicant: large, in the applicant's language, alone on the screen. It uses
 * the kiosk's texts, so that all applicants agree to the same. It has no session.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { ConsentQuestion } from '../../../server/counter/contract/assist.ts'
import { COUNTER } from '../../locales/counter.ts'
import { englishTexts, getLanguage, loadTexts } from '../../locales/index.ts'
import type { Translate } from '../../locales/index.ts'
import { KIOSK } from '../../locales/kiosk.ts'
import {
  listActs,
  keptSentence,
  listSentences,
  receiversSentence,
  unfinishedSentence,
} from '../../kiosk/screens/consent-words.ts'
import { chooseVoice } from '../../voices.ts'
import { Icon } from '../ui/icon.tsx'
import { answerQuestion, fetchConsentQuestion } from './api.ts'

type Type = ConsentQuestion['required'][number]
/** The applicant has agreed to the required part and is at the optional question `index`. */
export interface AnsweredSoFar {
  readonly index: number
  readonly yes: readonly Type[]
}

type Stage =
  | { readonly at: 'loading' | 'question' | 'full' | 'thanks' | 'refused' | 'gone' | 'failed' }
  | ({ readonly at: 'option' } & AnsweredSoFar)

interface Words {
  readonly t: Translate<'kiosk'>
  readonly own: Translate<'counter'>
}

const FULL_TEXT = ['consent.full.1', 'consent.full.2', 'consent.full.3', 'consent.full.4'] as const

/** The question as the server asks it, what was read of it, and the answer. */
function useQuestion(token: string, answered?: { current: AnsweredSoFar | null }) {
  const [question, setQuestion] = useState<ConsentQuestion | null>(null)
  const [stage, setStage] = useState<Stage>({ at: 'loading' })
  const [working, setWorking] = useState(false)
  const [words, setWords] = useState<Words>({ t: englishTexts(KIOSK), own: englishTexts(COUNTER) })
  const read = useRef({ readAll: false, listened: false })
  const language = getLanguage(question?.language ?? 'en')

  const load = async () => {
    setStage({ at: 'loading' })
    try {
      const asked = await fetchConsentQuestion(token)
      const [t, own] = await Promise.all([
        loadTexts(KIOSK, asked.language),
        loadTexts(COUNTER, asked.language),
      ])
      setWords({ t, own })
      setQuestion(asked)
      const before = answered?.current
      setStage(before ? { at: 'option', ...before } : { at: 'question' })
    } catch (error) {
      setStage({ at: error instanceof Error && error.message === '401' ? 'gone' : 'failed' })
    }
  }
  useEffect(() => {
    void load()
  }, [token])

  const answer = async (approved: boolean, optional: readonly Type[] = []) => {
    if (working) return
    setWorking(true)
    try {
      await answerQuestion(token, {
        approved,
        optional: [...optional],
        presentation: { language: language.tag, ...read.current },
      })
      setStage({ at: approved ? 'thanks' : 'refused' })
    } catch (error) {
      setStage({ at: error instanceof Error && error.message === '401' ? 'gone' : 'failed' })
    } finally {
      setWorking(false)
    }
  }
  return { question, stage, working, words, language, read: read.current, setStage, load, answer }
}

export function ConsentScreen({
  token,
  answered,
  onGiveBack,
}: {
  readonly token: string
  /** Answers of this visit that are kept after this screen closes. */
  readonly answered?: { current: AnsweredSoFar | null }
  /** Only for a turned screen; the applicant's own display stays in place. */
  readonly onGiveBack?: () => void
}) {
  const { question, stage, working, words, language, read, setStage, load, answer } = useQuestion(
    token,
    answered,
  )
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    root.current?.querySelector<HTMLElement>('h1')?.focus()
    return () => speechSynthesis.cancel()
  }, [stage])
  const { t, own } = words
  const listOption = (type: Type): readonly string[] =>
    question ? listSentences([type], question.disclosures, { t, language: question.language }) : []
  const optionFrom = (index: number, yes: readonly Type[]) => {
    if (index >= (question?.optional.length ?? 0)) return void answer(true, yes)
    if (answered) answered.current = { index, yes }
    setStage({ at: 'option', index, yes })
  }
  const giveBack = onGiveBack && (
    <Big icon="back" onPress={onGiveBack}>
      {own('assist.display.give-back')}
    </Big>
  )

  const page = (): ComponentChildren => {
    switch (stage.at) {
      case 'loading':
        return <h1 tabIndex={-1}>{own('loading')}</h1>
      case 'question':
        return (
          question && (
            <Question
              question={question}
              words={words}
              working={working}
              onAgree={() => optionFrom(0, [])}
              onRefuse={() => void answer(false)}
            >
              <Big
                icon="document"
                onPress={() => {
                  read.readAll = true
                  setStage({ at: 'full' })
                }}
              >
                {t('consent.read')}
              </Big>
              <Listen
                tag={language.tag}
                word={t('consent.listen')}
                text={() => root.current?.querySelector('.display-words')?.textContent ?? ''}
                onListen={() => {
                  read.listened = true
                }}
              />
            </Question>
          )
        )
      case 'full':
        return <FullText question={question} words={words} onBack={() => setStage({ at: 'question' })} />
      case 'option': {
        const type = question?.optional[stage.index]
        const answerOption = (yes: readonly Type[]) => optionFrom(stage.index + 1, yes)
        return (
          type && (
            <Option
              type={type}
              t={t}
              sentences={listOption(type)}
              working={working}
              onYes={() => answerOption([...stage.yes, type])}
              onNo={() => answerOption(stage.yes)}
            />
          )
        )
      }
      case 'thanks':
      case 'refused':
      case 'gone':
        return (
          <>
            <h1 tabIndex={-1}>{own(`assist.display.${stage.at}`)}</h1>
            <p>{onGiveBack ? own('assist.display.turn-back') : own('assist.display.goes-on')}</p>
          </>
        )
      case 'failed':
        return (
          <>
            <h1 tabIndex={-1}>{own('assist.display.failed')}</h1>
            <div class="display-row">
              <Big icon="retry" onPress={() => void load()}>
                {own('try-again')}
              </Big>
            </div>
          </>
        )
    }
  }
  // The officer's page already has a `main` element.
  const Words = onGiveBack ? 'div' : 'main'
  return (
    <div class="display" lang={language.tag} dir={language.dir} ref={root}>
      <Words class="display-words" key={stage.at === 'option' ? stage.index : stage.at}>
        {page()}
      </Words>
      {giveBack && <div class="display-foot">{giveBack}</div>}
    </div>
  )
}

function Question({
  question,
  words: { t, own },
  working,
  children,
  onAgree,
  onRefuse,
}: {
  readonly question: ConsentQuestion
  readonly words: Words
  readonly working: boolean
  /** The ways to read and to hear more. */
  readonly children: ComponentChildren
  readonly onAgree: () => void
  readonly onRefuse: () => void
}) {
  const organisation = nameReceiver(question, t)
  return (
    <>
      <h1 tabIndex={-1}>{t('consent.title')}</h1>
      <p>
        {t('consent.lead', { organisation })} {t('consent.would')}
      </p>
      <ul class="display-acts">
        {listActs(question.required).map(([icon, key]) => (
          <li key={key}>
            <Icon name={icon} size={32} /> <span>{t(key)}</span>
          </li>
        ))}
      </ul>
      <ul class="display-facts">
        <li>{receiversSentence(question.disclosures, organisation, { t })}</li>
        {listSentences(question.required, question.disclosures, { t, language: question.language }).map(
          (sentence) => (
            <li key={sentence}>{sentence}</li>
          ),
        )}
        <li>{keptSentence(question.retention, organisation, { t, language: question.language })}</li>
        <li>{own('assist.display.stop')}</li>
      </ul>
      <div class="display-row">{children}</div>
      <div class="display-row">
        <Big equal working={working} onPress={onAgree}>
          {t('consent.agree')}
        </Big>
        <Big equal working={working} onPress={onRefuse}>
          {own('assist.display.refuse')}
        </Big>
      </div>
    </>
  )
}

function FullText({
  question,
  words: { t, own },
  onBack,
}: {
  readonly question: ConsentQuestion | null
  readonly words: Words
  readonly onBack: () => void
}) {
  const organisation = question ? nameReceiver(question, t) : ''
  return (
    <>
      <h1 tabIndex={-1}>{t('consent.full.title')}</h1>
      {FULL_TEXT.map((key) => (
        <p key={key}>{t(key, { organisation })}</p>
      ))}
      {question && <Kept question={question} t={t} />}
      <p>{own('assist.display.stop')}</p>
      <div class="display-row">
        <Big icon="back" onPress={onBack}>
          {t('consent.full.back')}
        </Big>
      </div>
    </>
  )
}

function Option({
  type,
  t,
  sentences,
  working,
  onYes,
  onNo,
}: {
  readonly type: Type
  readonly t: Words['t']
  /** Details of what the consent permits. */
  readonly sentences: readonly string[]
  readonly working: boolean
  readonly onYes: () => void
  readonly onNo: () => void
}) {
  return (
    <>
      <h1 tabIndex={-1}>{t(`consent.option.${type}`)}</h1>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <p>{t('consent.option.free')}</p>
      <div class="display-row">
        <Big equal working={working} onPress={onYes}>
          {t('consent.option.yes')}
        </Big>
        <Big equal working={working} onPress={onNo}>
          {t('consent.option.no')}
        </Big>
      </div>
    </>
  )
}

function Big({
  children,
  icon,
  equal = false,
  working = false,
  onPress,
}: {
  readonly children: ComponentChildren
  readonly icon?: Parameters<typeof Icon>[0]['name']
  readonly equal?: boolean
  readonly working?: boolean
  readonly onPress: () => void
}) {
  return (
    <button
      type="button"
      class={`display-button${equal ? ' display-equal' : ''}`}
      aria-disabled={working || undefined}
      onClick={onPress}
    >
      {icon && <Icon name={icon} size={32} />}
      <span>{children}</span>
    </button>
  )
}

/** Offered if this computer has a local voice for the language: no text is sent elsewhere to be spoken. */
function Listen({
  tag,
  word,
  text,
  onListen,
}: {
  readonly tag: string
  readonly word: string
  readonly text: () => string
  readonly onListen: () => void
}) {
  const [voices, setVoices] = useState(() => speechSynthesis.getVoices())
  useEffect(() => {
    // The browser loads its voices some seconds after its start.
    const changed = () => setVoices(speechSynthesis.getVoices())
    speechSynthesis.addEventListener('voiceschanged', changed)
    return () => speechSynthesis.removeEventListener('voiceschanged', changed)
  }, [])
  const voice = useMemo(() => chooseVoice(voices, tag), [voices, tag])
  if (!voice) return null
  return (
    <Big
      icon="headset"
      onPress={() => {
        onListen()
        const spoken = new SpeechSynthesisUtterance(text())
        spoken.voice = voice
        spoken.lang = voice.lang
        speechSynthesis.cancel()
        speechSynthesis.speak(spoken)
      }}
    >
      {word}
    </Big>
  )
}

/** Names the receiver; on a machine without a configured name it uses the kiosk's neutral words. */
export function nameReceiver(
  { organisation }: Pick<ConsentQuestion, 'organisation'>,
  t: Translate<'kiosk'>,
): string {
  return organisation ?? t('organisation.unnamed')
}

function Kept({ question, t }: { readonly question: ConsentQuestion; readonly t: Translate<'kiosk'> }) {
  const words = { t, language: question.language }
  const unfinished = unfinishedSentence(question.retention, words)
  return (
    <>
      <p>{keptSentence(question.retention, nameReceiver(question, t), words)}</p>
      {unfinished !== null && <p>{unfinished}</p>}
    </>
  )
}
