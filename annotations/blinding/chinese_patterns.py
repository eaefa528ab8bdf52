"""How a model gives itself away in Chinese, as patterns for folded text (see `annotations.blinding.folded_text`)."""

from annotations.blinding.model_names import MAKER_ZH, either

_SUPPOSED = "".join(
    f"(?<!{word})" for word in ("以为", "如果", "假如", "要是", "说", "当", "若", "像", "梦见", "觉得", "怀疑", "假装")
)
_TRULY = either(r"其实, 只, 仅仅, 仅, 不过, 就, 真的, 确实, 本质上, 终究, 毕竟, 本来, 实际上, 说到底, [,\s]") + "{0,3}"
_I_AM = rf"(?=我){_SUPPOSED}我{_TRULY}是"
_ONE = r"(?:一?[个名款种位台只套])?"
_QUALITY = r"(?:[^,。!?\n]{0,24}?的)?"

_AI = r"(?:AI|A\.I\.|人工智能|人工智慧)"
_CREATURE = (
    rf"(?:(?:{_AI}|大型|大规模|大|通用|预训练|生成式|对话){{0,4}}(?:自然)?语言(?:处理)?大?模型|{_AI}大?模型|大模型|LLM"
    rf"|{_AI}(?:语音|聊天|对话|虚拟|智能|写作|语言|数字)?(?:助手|助理|机器人|程序|系统|伙伴|角色|实体|产品|客服)"
    "|机器学习模型|(?:聊天|对话)机器人|智能(?:聊天|对话)?(?:助手|助理|系统)|(?:虚拟|数字)助[手理])"
)
_AFTERWARDS = (
    r"(?=\s*(?:$|[^\u3400-\u9fffA-Za-z0-9?]|的?我|而已|罢了|[啊呀哦嘛吧没不无只也能而]|可以|会(?!议)|来[说讲]|由"
    r"|基于|生成))"
)
"""What may follow, so that it is no AI engineer, nor the AI department."""
_SUCH = rf"(?:{_CREATURE}|{_AI}){_AFTERWARDS}"
_BEGINNING = r"(?:(?<![\u3400-\u9fff])|(?<=我)|(?<=但)|(?<=而)|(?<=因为))"
_AS = r"(?:作为|身为|做为)"

SAYS_AI = (
    rf"{_I_AM}{_ONE}{_QUALITY}{_SUCH}",
    rf"{_I_AM}{_ONE}[^,。!?\n]{{1,16}},{_ONE}{_QUALITY}{_CREATURE}{_AFTERWARDS}",
    rf"(?=[作身做]){_BEGINNING}{_AS}{_ONE}{_QUALITY}{_CREATURE}{_AFTERWARDS}",
    rf"{_AS}{_ONE}{_QUALITY}{_SUCH}(?=[^。!?\n]{{0,40}}我)",
    rf"(?:内容|回答|回复|文本|对话|故事)[^,。!?\n]{{0,4}}[由是]{_AI}(?:辅助)?(?:生成|创作|撰写)",
    "我的(?:训练数据|训练语料|训练集|预训练|知识截止|知识库截止|知识更新截止)",
    r"我是?(?:在|用|通过|基于)[^,。!?\n]{0,12}(?:数据|语料|文本)[^,。!?\n]{0,6}训练(?:的|而成|出来|得到)",
)

_BUILT = "(?:开发|研发|训练|创造|创建|打造|推出|设计|构建|发布|研制)"
_MADE = rf"{MAKER_ZH}[^,。!?\n]{{0,14}}{_BUILT}"

SAYS_MAKER = (
    rf"我{_TRULY}是?{_ONE}(?:由|来自|出自)[^,。!?\n]{{0,8}}{_MADE}",
    rf"{_I_AM}{_ONE}{_MADE}的(?=[^,。!?\n]{{0,10}}?(?:{_SUCH}|[A-Z][A-Za-z]))",
    rf"(?:由|来自|出自){_MADE}[^,。!?\n]{{0,3}}的[^,。!?\n]{{0,12}}?{_SUCH}",
    rf"我的(?:开发者|创造者|研发团队|开发团队|训练者)(?:是|来自){MAKER_ZH}",
)

_CALLED = rf"(?:是|叫做?|名叫|的名字[是叫]|名字[是叫]){_ONE}(?:{_AI}|助手|模型|名为|叫做?){{0,2}}"

CALLS_ITSELF = rf'(?=我){_SUPPOSED}我{_TRULY}{_CALLED}\s*"?'
"""What stands before the name."""
