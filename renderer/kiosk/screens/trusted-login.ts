/**
 * A login at an identity provider on the applicant's own phone: choose, scan, return. It is always optional.
 */
import type { TrustedLoginStep } from '../../../server/kiosk/contract/index.ts'
import { picture } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { button, choices, fact, layout, row } from '../layout.ts'
import type { Screen, ScreenContext } from '../screen-context.ts'
import { qrPicture } from './qr-picture.ts'
import { createStage } from './stage.ts'

export const trustedLogin: Screen = (context) => {
  const step = context.state.visit?.step
  const stage = createStage('login')
  if (step?.kind === 'trusted-login') stage.show({ element: PAGES[step.state](context, step) })
  return {
    element: stage.element,
    update(next) {
      stage.working(next.working)
      const now = next.visit?.step
      return (
        now?.kind === 'trusted-login' &&
        step?.kind === 'trusted-login' &&
        now.state === step.state &&
        now.login?.qr.rows.join() === step.login?.qr.rows.join()
      )
    },
    dispose: () => stage.dispose(),
  }
}

type Draw = (context: ScreenContext, step: TrustedLoginStep) => HTMLElement

const PAGES: Readonly<Record<TrustedLoginStep['state'], Draw>> = {
  CHOOSE: (context, { providers }) =>
    layout({
      name: 'login',
      title: context.t('login.title'),
      words: [h('p', {}, context.t('login.text'))],
      look: [picture('scan')],
      hands: [providerButtons(context, providers), without(context)],
    }),
  WAITING: (context, { login }) => {
    const { t, acts } = context
    return layout({
      name: 'login-waiting',
      title: t('login.scan.title'),
      words: [],
      look: [
        login ? h('div', { class: 'qr-large' }, qrPicture(login.qr, t('login.qr'))) : null,
        h(
          'ol',
          { class: 'numbered' },
          h('li', {}, t('login.scan.1')),
          h('li', {}, t('login.scan.2')),
          h('li', {}, t('login.scan.3')),
        ),
      ],
      hands: [
        h('div', { role: 'status' }, fact('waiting', t('login.waiting'))),
        row(
          button('secondary', t('login.other'), () => acts.cancelLogin(), { iconName: 'back', calls: true }),
          without(context),
        ),
      ],
    })
  },
  FAILED: (context, { providers }) =>
    layout({
      name: 'login',
      title: context.t('login.failed.title'),
      words: [h('p', {}, context.t('login.failed.text'))],
      look: [picture('scan')],
      hands: [providerButtons(context, providers), without(context)],
    }),
}

function providerButtons({ t, acts }: ScreenContext, providers: TrustedLoginStep['providers']): HTMLElement {
  const buttons = providers.map(({ id, name }) =>
    button(providers.length === 1 ? 'primary' : 'equal', name, () => acts.login(id), { calls: true }),
  )
  return choices(t('login.providers'), buttons, providers.length > 3 ? 'two' : '')
}

function without({ t, acts }: ScreenContext): HTMLElement {
  return button('secondary', t('login.skip'), () => acts.skip({ step: 'trusted-login' }), { calls: true })
}
