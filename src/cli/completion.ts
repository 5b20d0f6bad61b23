/** A command as a shell completes it. */
export interface Completable {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly {
    readonly name: string;
    readonly describe: string;
    readonly choices: readonly string[];
  }[];
  /** What its first word may be. */
  readonly words: readonly string[];
  readonly takesMappings: boolean;
}

/** The names in the mapping files of the working folder, each in the line after its version, by a tool that every system has. */
const MAPPING_NAMES = `sed -n '/version:/{n;s/^ *name: *//p;}' mappings/*.yaml mappings/*.yml 2>/dev/null`;

const flagsOf = ({ flags }: Completable): string => flags.map(({ name }) => `--${name}`).join(' ');

/** The choices of flags, each of any command, once. */
const choicesOf = (
  commands: readonly Completable[],
): readonly (readonly [flag: string, choices: string])[] => [
  ...new Map(
    commands
      .flatMap(({ flags }) => flags)
      .filter(({ choices }) => choices.length > 0)
      .map(({ name, choices }) => [`--${name}`, choices.join(' ')]),
  ),
];

function bash(commands: readonly Completable[]): string {
  const cases = commands.map((command) => {
    const names = command.takesMappings ? ` $(${MAPPING_NAMES})` : '';
    return `    ${command.name}) words="${command.words.join(' ')}${names}"; flags="${flagsOf(command)}" ;;`;
  });
  return `# bash completion of teamsheet; put this line into ~/.bashrc: source <(teamsheet completion bash)
_teamsheet() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} words="" flags=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$word"))
    return
  fi
  case "$before" in
${choicesOf(commands)
  .map(([flag, choices]) => `    ${flag}) COMPREPLY=($(compgen -W "${choices}" -- "$word")); return ;;`)
  .join('\n')}
  esac
  case "$command" in
${cases.join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$flags --help" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
  esac
}
complete -o default -F _teamsheet teamsheet
`;
}

/** A text in single quotes, for all three shells where it holds no quote of its own. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`;
/** In a list of zsh a colon ends the name. */
const described = (name: string, describe: string): string => quoted(`${name}:${describe}`);

function zsh(commands: readonly Completable[]): string {
  const cases = commands.map((command) => {
    const flags = command.flags.map(({ name, describe }) => described(`--${name}`, describe));
    const names = command.takesMappings ? ` \${(f)"$(${MAPPING_NAMES})"}` : '';
    return `    ${command.name}) choices=(${command.words.join(' ')}${names}); flags=(${flags.join(' ')}) ;;`;
  });
  return `#compdef teamsheet
# zsh completion of teamsheet; put this line into ~/.zshrc, after compinit: source <(teamsheet completion zsh)
_teamsheet() {
  local -a names choices flags
  local command=$words[2]
  if (( CURRENT == 2 )); then
    names=(${commands.map(({ name, summary }) => described(name, summary)).join(' ')})
    _describe command names
    return
  fi
  case "$words[CURRENT-1]" in
${choicesOf(commands)
  .map(([flag, choices]) => `    ${flag}) compadd ${choices}; return ;;`)
  .join('\n')}
  esac
  case "$command" in
${cases.join('\n')}
  esac
  if [[ "$words[CURRENT]" == -* ]]; then
    _describe flag flags
  else
    compadd -a choices
    _files
  fi
}
compdef _teamsheet teamsheet
`;
}

function fish(commands: readonly Completable[]): string {
  const lines = commands.flatMap((command) => {
    const on = `complete -c teamsheet -n '__fish_seen_subcommand_from ${command.name}'`;
    return [
      `complete -c teamsheet -f -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`,
      ...command.words.map((word) => `${on} -a ${word}`),
      ...(command.takesMappings ? [`${on} -a "(${MAPPING_NAMES})"`] : []),
      ...command.flags.map(({ name, describe, choices }) => {
        const takes = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : '';
        return `${on} -l ${name}${takes} -d ${quoted(describe)}`;
      }),
    ];
  });
  return `# fish completion of teamsheet; type: teamsheet completion fish > ~/.config/fish/completions/teamsheet.fish
${lines.join('\n')}
`;
}

/** The completion script of each shell. */
export const SHELLS: Readonly<Record<string, (commands: readonly Completable[]) => string>> = {
  bash,
  zsh,
  fish,
};
