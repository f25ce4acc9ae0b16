/**
 * Lists the system calls that a purely computing program never needs: access to other processes, the kernel, other file
 * systems, keys, namespaces and the network. `seccomp.ts` builds the filter from this table.
 *
 * Numbers: Linux, arch/x86/entry/syscalls/syscall_64.tbl (x64) and include/uapi/asm-generic/unistd.h (arm64); from 424 on
 * both are the same. A test compares them with the headers of the machine if these are installed. null: the architecture has
 * no such call. The selection follows the deny list of Flatpak (common/flatpak-run.c) and Docker's default profile.
 */
export const ARCHITECTURES = ['x64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

type Numbers = Readonly<Record<Architecture, number | null>>

const both = (x64: number, arm64: number | null): Numbers => ({ x64, arm64 })
/** Since Linux 5.1 every architecture gives a new call the same number. */
const same = (number: number): Numbers => both(number, number)

/** Refused with EPERM for all arguments. */
export const DENIED: Readonly<Record<string, Numbers>> = {
  // Other processes
  ptrace: both(101, 117),
  process_vm_readv: both(310, 270),
  process_vm_writev: both(311, 271),
  kcmp: both(312, 272),
  pidfd_open: same(434),
  pidfd_getfd: same(438),
  process_madvise: same(440),
  migrate_pages: both(256, 238),
  move_pages: both(279, 239),
  // The kernel and programs in it
  bpf: both(321, 280),
  perf_event_open: both(298, 241),
  userfaultfd: both(323, 282),
  io_uring_setup: same(425),
  io_uring_enter: same(426),
  io_uring_register: same(427),
  kexec_load: both(246, 104),
  kexec_file_load: both(320, 294),
  init_module: both(175, 105),
  finit_module: both(313, 273),
  delete_module: both(176, 106),
  syslog: both(103, 116),
  acct: both(163, 89),
  reboot: both(169, 142),
  swapon: both(167, 224),
  swapoff: both(168, 225),
  quotactl: both(179, 60),
  quotactl_fd: same(443),
  personality: both(135, 92),
  modify_ldt: both(154, null),
  iopl: both(172, null),
  ioperm: both(173, null),
  uselib: both(134, null),
  vhangup: both(153, 58),
  lookup_dcookie: both(212, 18),
  // Time and name of the machine
  settimeofday: both(164, 170),
  adjtimex: both(159, 171),
  clock_settime: both(227, 112),
  clock_adjtime: both(305, 266),
  sethostname: both(170, 161),
  setdomainname: both(171, 162),
  // File systems and namespaces
  mount: both(165, 40),
  umount2: both(166, 39),
  pivot_root: both(155, 41),
  chroot: both(161, 51),
  unshare: both(272, 97),
  setns: both(308, 268),
  open_tree: same(428),
  move_mount: same(429),
  fsopen: same(430),
  fsconfig: same(431),
  fsmount: same(432),
  fspick: same(433),
  mount_setattr: same(442),
  name_to_handle_at: both(303, 264),
  open_by_handle_at: both(304, 265),
  fanotify_init: both(300, 262),
  // Keys
  add_key: both(248, 217),
  request_key: both(249, 218),
  keyctl: both(250, 219),
  // The network and sockets of other programs. The channel to the server is open before the filter applies.
  socket: both(41, 198),
  connect: both(42, 203),
  bind: both(49, 200),
  listen: both(50, 201),
  accept: both(43, 202),
  accept4: both(288, 242),
}

/** Calls that the filter allows or refuses by their arguments. */
export const CLONE: Numbers = both(56, 220)
export const CLONE3: Numbers = same(435)
export const IOCTL: Numbers = both(16, 29)

/** Flags of clone(2) that make a namespace: NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
export const NEW_NAMESPACES = 0x7e020080
/** ioctl(2) requests that put characters into a terminal: TIOCSTI and TIOCLINUX (asm-generic/ioctls.h). */
export const TERMINAL_INPUT: readonly number[] = [0x5412, 0x541c]
