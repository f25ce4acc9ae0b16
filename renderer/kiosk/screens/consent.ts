/**
 * Consent in plain words: purpose, recipient, retention, how to stop. The two answers have equal weight and
 * no default. Each optional consent is one more question; a "no" to it does not end the visit.
 */
import type { ConsentStep } from '../../../server/kiosk/contract/index.ts'
import { icon, picture } from '../../design/art.ts'
import { h } from '../../dom.ts'
import type { TextKey } from '../../locales/index.ts'
import { button, fact, layout, row } from '../layout.ts'
import type { Screen, ScreenContext } from '../screen-context.ts'
import {
  listActs,
  listSentences,
  PICTURE_OF_OPTION,
  keptSentence,
  receiversSentence,
  unfinishedSentence,
} from './consent-words.ts'
import { nameOrganisation } from './organisation.ts'
import { createStage } from './stage.ts'
import type { Stage } from './stage.ts'

type OptionalConsent = ConsentStep['optional'][number]

const FULL_TEXT = [
  'consent.full.1',
  'consent.full.2',
  'consent.full.3',
  'consent.full.4',
  'consent.full.5',
  'consent.full.6',
] as const satisfies readonly TextKey[]

export const consent: Screen = (context) => {
  const { state } = context
  const step = state.visit?.step
  const stage = createStage('consent')
  if (step?.kind === 'consent') new ConsentPages(context, stage, step).question()
  return {
    element: stage.element,
    update(next) {
      stage.working(next.working)
      return next.visit?.step.kind === 'consent'
    },
    dispose: () => stage.dispose(),
  }
}

class ConsentPages {
  readonly #context: ScreenContext
  readonly #stage: Stage
  readonly #step: ConsentStep
  readonly #yes: OptionalConsent[] = []
  #hasRead = false

  constructor(context: ScreenContext, stage: Stage, step: ConsentStep) {
    this.#context = context
    this.#stage = stage
    this.#step = step
  }

  question(): void {
    const { t, acts, state, settings, set, canSpeak } = this.#context
    const organisation = this.#organisation()
    const listen = button('secondary', t('consent.listen'), () => set({ speech: !settings.speech }), {
      iconName: 'headset',
    })
    listen.setAttribute('aria-pressed', String(settings.speech))
    const agree = button('equal', t('consent.agree'), () => this.#optional(0), {
      id: 'consent-agree',
      calls: true,
    })
    // Agreeing requires that every page was shown.
    agree.classList.add('on-last-page')
    this.#stage.show({
      element: layout({
        name: 'consent',
        title: t('consent.title'),
        words: [
          h(
            'p',
            {},
            `${t('consent.lead', { organisation })} `,
            h('span', { class: 'announces-acts' }, t('consent.would')),
          ),
        ],
        look: [
          h(
            'div',
            { class: 'paged' },
            h(
              'ol',
              { class: 'acts' },
              ...listActs(this.#step.required).map(([name, key]) =>
                h('li', {}, icon(name), h('span', {}, t(key))),
              ),
            ),
            fact('lock', receiversSentence(this.#step.disclosures, organisation, this.#words())),
            ...this.#listSentences(this.#step.required),
            fact('clock', keptSentence(this.#step.retention, organisation, this.#words())),
            fact('stop', t('consent.stop')),
          ),
        ],
        hands: [
          row(
            button('secondary', t('consent.read'), () => this.#full(), { iconName: 'document' }),
            canSpeak(state.language.tag) ? listen : null,
          ),
          agree,
          button('equal', t('consent.refuse'), () => acts.answerConsent({ approved: false }), {
            id: 'consent-refuse',
            calls: true,
          }),
        ],
      }),
    })
  }

  #full(): void {
    const { t } = this.#context
    const organisation = this.#organisation()
    this.#hasRead = true
    const unfinished = unfinishedSentence(this.#step.retention, this.#words())
    this.#stage.show({
      element: layout({
        name: 'reading',
        title: t('consent.full.title'),
        look: [
          h(
            'div',
            { class: 'paged reading' },
            ...FULL_TEXT.map((key) => h('p', {}, t(key, { organisation }))),
            h('p', {}, keptSentence(this.#step.retention, organisation, this.#words())),
            ...(unfinished === null ? [] : [h('p', {}, unfinished)]),
          ),
        ],
        hands: [button('primary', t('consent.full.back'), () => this.question(), { iconName: 'back' })],
      }),
    })
  }

  /** Asks one optional question at a time; sends the answers together. */
  #optional(index: number): void {
    const { t, acts, state } = this.#context
    const type = this.#step.optional[index]
    if (!type) {
      return acts.answerConsent({
        approved: true,
        optional: this.#yes,
        presentation: {
          language: state.language.tag,
          readAll: this.#hasRead,
          // False if speech was switched off or the language has no voice: then the text was not heard to its
          // end.
          listened: this.#context.settings.speech,
        },
      })
    }
    const answer = (yes: boolean) => {
      if (yes && !this.#yes.includes(type)) this.#yes.push(type)
      this.#optional(index + 1)
    }
    this.#stage.show({
      element: layout({
        name: 'option',
        title: t(`consent.option.${type}`),
        words: [...this.#listSentences([type]), h('p', {}, t('consent.option.free'))],
        look: [picture(PICTURE_OF_OPTION[type] ?? 'hold')],
        hands: [
          button('equal', t('consent.option.yes'), () => answer(true), { calls: true }),
          button('equal', t('consent.option.no'), () => answer(false), { calls: true }),
        ],
      }),
    })
  }

  #listSentences(types: ConsentStep['required']): readonly HTMLElement[] {
    return listSentences(types, this.#step.disclosures, this.#words()).map((sentence) => h('p', {}, sentence))
  }

  #words() {
    const { t, state } = this.#context
    return { t, language: state.language.tag }
  }

  #organisation(): string {
    return nameOrganisation(this.#context)
  }
}
