"""How a model gives itself away in English, as patterns for folded text (see `annotations.blinding.folded_text`).

They are read without regard to case. Where one has a group `hit`, that is the place; the rest must stand around it.
"""

from annotations.blinding.model_names import END, MAKER, START, either

_SENTENCE = r"[^.!?。\n]"
_SUPPOSED = "".join(
    f"(?<!{word} )"
    for word in ("if", "think", "thought", "believe", "say", "whether", "suppose", "like", "imagine", "pretend")
)
_ADVERB = either(
    "just, only, merely, simply, actually, really, basically, still, in fact, after all, in truth, of course, indeed"
)
_ADVERBS = rf"(?:,? {_ADVERB},?){{0,3}}"
_I = rf"(?:I|my|me|I'm){END}"
_I_AM = rf"(?=I){_SUPPOSED}{START}(?:I am|I'm|Im|I remain){_ADVERBS}"
_I_WAS = rf"(?=I){START}I(?: was| am|'m|'ve been| have been){_ADVERBS}"

_JOB = either(
    r"""research\w*, engineers?, engineering, scientists?, developers?, development, trainers?, training, experts?,
    specialists?, compan(?:y|ies), labs?, laborator(?:y|ies), professors?, designers?, ethic\w*, builders?,
    makers?, investors?, enthusiasts?, students?, critics?, safety, products?, consultants?, startups?, teams?,
    projects?, departments?, technicians?, operators?, programmers?, testers?, analysts?, lawyers?, evaluators?,
    managers?"""
)
_NO_JOB = rf"(?!'s|[ -]{_JOB}{END})"
_QUALITY = r"(?:(?!(?:of|in|for|to|at|on|with|who|that|by|from) )[a-z][a-z-]*,? ){0,3}"

_AI = r"(?:A\.?I\.?|artificial[ -]intelligence)"
_BY_AI = rf"{_AI}(?:[ -](?:based|powered|driven))?[ -]"
_THING = either(
    """model, assistant, chatbot, bot, system, program(?:me)?, agent, entity, companion, character, being, tool,
    software"""
)
_LANGUAGE_MODEL = rf"(?:{_BY_AI})?(?:(?:large|big|huge|generative|conversational)[ -]){{0,3}}(?:language[ -]model|LLM)"
_CREATURE = (
    rf"(?:{_BY_AI}(?:(?:language|chat|text-based|virtual|digital|personal)[ -])?{_THING}"
    rf"|chat[ -]?bot|conversational {_AI}|machine[ -]learning model)"
)
_AI_ALONE = (
    rf"{_AI}(?:(?=\s*(?:[^\w\s'?-]|$))"
    rf"|(?= (?:that|who|which|without|with|so|but|not|here|created|developed|trained|made|designed|built|by|I){END})"
    rf"|(?= and (?:I|as such|so|not|therefore|cannot|can't|don't|do|have){END}))"
)
_SUCH = rf"(?:(?:{_LANGUAGE_MODEL}|{_CREATURE}){END}{_NO_JOB}|{_AI_ALONE})"
_BEGINNING = r"(?:^|(?<=[.!?:;,\"(*\n-])|(?<=[.!?:;,\"(*\n-] )|(?<=and )|(?<=but )|(?<=because ))"

SAYS_AI = (
    rf"{_I_AM} (?:an?|your|the|this|one) {_QUALITY}{_SUCH}",
    rf"{_I_AM} {_SUCH}",
    rf"{_I_AM} not {_SENTENCE}{{1,40}}? but (?:an?|your) {_QUALITY}{_SUCH}",
    rf"{START}(?:my|this|these) (?:response|reply|answer|text|story|dialogue|scene|message)s? (?:is|are|was|were)"
    rf" (?:generated|written|produced) by (?:an?|the) {_QUALITY}{_SUCH}",
    rf"(?=as){_BEGINNING}as{_ADVERBS} an? {_QUALITY}{_LANGUAGE_MODEL}{END}{_NO_JOB}",
    rf"(?=[ab]){START}(?:as|being){_ADVERBS} (?:an?|your) {_QUALITY}{_SUCH}(?={_SENTENCE}{{0,80}}{START}{_I})",
    rf"(?=[Im]){START}{_I}{_SENTENCE}{{0,80}}? (?P<hit>as{_ADVERBS} an? {_QUALITY}{_SUCH})",
    rf"{START}you are (?:talking|speaking|chatting) (?:to|with) an? {_QUALITY}{_SUCH}",
    rf"{_I_WAS} (?:trained|developed|created|designed|built|made|programmed|fine-tuned) (?:as|to be) (?:an?|your)"
    rf" {_QUALITY}{_SUCH}",
    rf"{_I_WAS} (?:pre-?)?trained on (?:[a-z-]+ ){{0,5}}(?:data|datasets?|corpus|corpora|tokens|internet){END}",
    rf"{START}my (?:training (?:data|corpus|cut-?off)|knowledge cut-?off|(?:pre-?)?training set){END}",
)

_BUILT = "(?:created|developed|made|built|designed|programmed|fine-tuned|engineered|powered|released)"
_PEOPLE = "(?:good )?(?:team|researchers|engineers|people|scientists|folks|company)(?: (?:at|from|of|behind))?"
_BY = rf" by (?:the )?(?:{_PEOPLE} )?{MAKER}{END}"

SAYS_MAKER = (
    rf"{_I_WAS} (?:trained and )?{_BUILT}(?: and (?:trained|{_BUILT}))?{_BY}(?!'s (?!team|research|engineers|AI))",
    rf"{_I_WAS} trained{_BY}(?=\s*[^\w\s']|\s*$| to (?:help|assist|be|answer|respond)| as an? (?:AI|large|language))",
    rf"(?=[abclghm]){START}(?:{_LANGUAGE_MODEL}|{_CREATURE}|{_AI}),? (?:(?:that|which) )?(?:was |is |has been )?"
    rf"(?:trained|{_BUILT}){_BY}",
    rf"{START}my (?:creators?|developers?|makers?) (?:is|are|at|from)(?: the team at)? {MAKER}{END}",
)

CALLS_ITSELF = (
    rf"(?=[Imc]){_SUPPOSED}{START}(?:I am|I'm|my name is|my name's|call me|I go by){_ADVERBS}"
    r"(?: (?:(?:the|an?|your) )?(?:(?:AI|language|virtual|chat) ){0,2}(?:AI|model|assistant|chatbot),?)?"
    r'(?: (?:named|called|known as))? "?'
)
"""What stands before the name."""
