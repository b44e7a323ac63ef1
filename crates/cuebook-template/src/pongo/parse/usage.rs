//! How each tag is written, as a hint for whoever got one wrong.
//!
//! It owns the words. It refuses to check anything: the parser decides, and these lines only remind.

/// The hint for the tag called `name`; what divides or ends a block has no arguments.
pub(super) fn usage(name: &str) -> &'static str {
    match name {
        "autoescape" => "written as {% autoescape on %} or {% autoescape off %}",
        "block" => "written as {% block name %} … {% endblock %}",
        "cycle" => "written as {% cycle 'a' 'b' %} or {% cycle 'a' 'b' as name silent %}",
        "elif" => "written as {% elif condition %}",
        "endblock" => "written as {% endblock %} or {% endblock name %}",
        "extends" => "written as {% extends \"file\" %}",
        "filter" => "written as {% filter upper|cut:' ' %} … {% endfilter %}",
        "firstof" => "written as {% firstof a b 'else' %}",
        "for" => "written as {% for item in list %} or {% for key, value in map reversed sorted %}",
        "if" => "written as {% if condition %} … {% elif condition %} … {% else %} … {% endif %}",
        "ifchanged" => "written as {% ifchanged %} or {% ifchanged a b %}",
        "ifequal" => "written as {% ifequal a b %} … {% endifequal %}",
        "ifnotequal" => "written as {% ifnotequal a b %} … {% endifnotequal %}",
        "import" => "written as {% import \"file\" name, other as alias %}",
        "include" => "written as {% include \"file\" if_exists with a=1 b=2 only %}",
        "lorem" => "written as {% lorem 3 w random %}, with w for words or p for paragraphs",
        "macro" => "written as {% macro name(a, b='default') export %} … {% endmacro %}",
        "now" => "written as {% now \"2006-01-02 15:04\" %}",
        "set" => "written as {% set name = value %}",
        "ssi" => "written as {% ssi \"file\" %} or {% ssi \"file\" parsed %}",
        "templatetag" => "written as {% templatetag openblock %}",
        "widthratio" => "written as {% widthratio value largest width %} or with 'as name' at its end",
        "with" => "written as {% with a=1 b=2 %} … {% endwith %}",
        _ => "this tag has no arguments",
    }
}
