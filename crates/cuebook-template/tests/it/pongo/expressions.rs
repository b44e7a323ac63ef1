//! Values, operators and their precedence, paths, truth, and what a value looks like.

use super::support::{fails, shows};

#[test]
fn values_show_as_in_the_original_and_containers_as_json() {
    shows("{{ yes }} {{ no }} {{ true }} {{ false }}", "True False True False");
    shows("{{ nil }}{{ nope }}{{ nope.a.b }}{{ nope.0 }}|", "|");
    shows("{{ big }} {{ half }} {{ 1.0 }} {{ 1 }}", "2.500000 0.500000 1.000000 1");
    shows("{{ xs }} {{ user }}", r#"[1,2,3] {"name":"Bo","tags":["x","y"],"home":{"city":"Ulm"}}"#);
    shows("{{ map }} {{ [name, half, nil, [no]] }}", r#"{"z":1,"a":2} ["Ada",0.5,null,[false]]"#);
    shows("{{ none }} {{ [] }}", "[] []");
}

#[test]
fn and_and_or_are_one_level_from_the_right() {
    shows("{{ yes and no or yes }} {{ no and yes or yes }}", "True False");
    shows("{{ no or yes and no }} {{ yes or no and no }}", "False True");
    shows("{{ (no and yes) or yes }}", "True");
    shows("{{ yes && no }} {{ yes || no }} {{ !yes }}", "False True False");
    // The results are booleans, as in 6.0.0.
    shows("{{ name and five }} {{ empty or name }}", "True True");
    // The right side is left alone when the left decides.
    shows("{{ no and one/zero }} {{ yes or one/zero }}", "False True");
}

#[test]
fn not_and_signs_bind_the_first_product() {
    shows("{{ -2^2 }} {{ (-2)^2 }}", "-4.000000 4.000000");
    shows("{{ -5+3 }} {{ -5*3 }} {{ +5 }}", "-2 -15 5");
    shows("{{ not nope == 1 }}", "False");
    shows("{{ not zero }} {{ not five }} {{ not name }}", "1 0 False");
    shows("{{ not (no) }}", "True");
    fails("{{ 3--5 }}", "template_syntax", "1:6");
    fails("{{ -name }}", "template_type_mismatch", "1:4");
}

#[test]
fn comparisons_go_from_the_right() {
    shows("{{ 1 < 2 }} {{ 2 <= 2 }} {{ 3 > 4 }} {{ 4 >= 4 }}", "True True False True");
    shows("{{ 1 < 2 < 3 }}", "False");
    shows("{{ 1 == 1 }} {{ 1 != 1 }} {{ 1 <> 2 }}", "True False True");
    shows("{{ name == 'Ada' }} {{ nil == nope }} {{ yes == true }}", "True True True");
    shows("{{ 1 == '1' }} {{ nil == 0 }} {{ empty == nil }}", "False False False");
    shows("{{ 1.5 > 1 }} {{ '10' > '9' }} {{ 'b' > 'a' }}", "True True False");
    fails("{{ xs == ys }}", "template_type_mismatch", "1:4");
    fails("{{ user == map }}", "template_type_mismatch", "1:4");
}

#[test]
fn in_looks_into_texts_lists_and_maps() {
    shows("{{ 2 in xs }} {{ 9 in xs }} {{ 'a' in ys }} {{ 3 in [1, 3] }}", "True False True True");
    shows("{{ 'd' in name }} {{ 'x' in name }} {{ '' in name }}", "True False True");
    shows("{{ 'name' in user }} {{ 'Bo' in user }} {{ 1 in map }}", "True False False");
    shows("{{ 1 in five }} {{ 1 in nope }}", "False False");
    shows("{{ not (2 in xs) }}", "False");
    fails("{{ xs in rows }}", "template_type_mismatch", "1:4");
}

#[test]
fn arithmetic_keeps_integers() {
    shows("{{ 7/2 }} {{ 7%4 }} {{ 7*2 }} {{ 7-9 }} {{ 1+2*3 }}", "3 3 14 -2 7");
    shows("{{ 7/2.0 }} {{ 1+0.5 }} {{ 2^3 }} {{ 2^3^0 }}", "3.500000 1.500000 8.000000 2.000000");
    shows("{{ 10-2-3 }} {{ 100/10/5 }} {{ (1+2)*3 }}", "5 2 9");
    shows("{{ 'a'+1 }} {{ 1+'a' }} {{ name+empty }} {{ 'a'+nil }}", "a1 1a Ada a");
    shows("{{ nope+1 }} {{ yes+1 }} {{ xs+1 }}", "1 1 1");
    shows("{{ 9223372036854775807+1 }}", "-9223372036854775808");
    fails("{{ 1/0 }}", "template_division_by_zero", "1:4");
    fails("ab\n {{ five % zero }}", "template_division_by_zero", "2:5");
    shows("{{ 1/0.0 }} {{ -1/0.0 }}", "+Inf -Inf");
}

#[test]
fn paths_reach_into_values() {
    shows("{{ user.home.city }} {{ user.tags.1 }} {{ user.tags[0] }}", "Ulm y x");
    shows("{{ user['name'] }} {{ user[empty+'name'] }} {{ rows.0.1 }}", "Bo Bo 2");
    shows("{{ user.nope }}{{ user.nope.x }}{{ xs.9 }}{{ xs[9] }}{{ nil.x }}|", "|");
    shows("{{ word.2 }}{{ word.3 }}{{ word[9] }}", "öß");
    fails("{{ name.x }}", "template_type_mismatch", "1:4");
    fails("{{ five.x.y }}", "template_type_mismatch", "1:4");
    fails("{{ xs.first }}", "template_type_mismatch", "1:4");
    fails("{{ user.0 }}", "template_type_mismatch", "1:4");
    fails("{{ name(1) }}", "template_type_mismatch", "1:4");
    shows("{{ nope(1) }}|", "|");
}

#[test]
fn truth_is_not_empty() {
    let falsy = ["nil", "nope", "zero", "0.0", "empty", "none", "no", "[]", "user.nope"];
    for value in falsy {
        shows(&format!("{{% if {value} %}}y{{% else %}}n{{% endif %}}"), "n");
    }
    for value in ["one", "half", "name", "xs", "user", "yes", "-1", "' '", "[0]"] {
        shows(&format!("{{% if {value} %}}y{{% else %}}n{{% endif %}}"), "y");
    }
}

#[test]
fn filters_bind_to_one_atom() {
    shows("{{ 'a'|upper + 'b'|upper }}", "AB");
    shows("{{ name|lower }} {{ xs|join:', ' }} {{ nope|default:name }}", "ada 1, 2, 3 Ada");
    shows("{{ nope|default:user.name }} {{ nope|default:xs.1 }} {{ nope|default:[1] }}", "Bo 2 [1]");
    fails("{{ ('a')|upper }}", "template_syntax", "1:9");
    fails("{{ name|default:'a'+ }}", "template_syntax", "1:22");
    fails("{{ name| }}", "template_syntax", "1:10");
    fails("{{ name|nope }}", "template_unknown_filter", "1:9");
}

#[test]
fn what_is_no_expression_is_an_error() {
    fails("{{ a b }}", "template_syntax", "1:6");
    fails("{{ a not in b }}", "template_syntax", "1:6");
    fails("{{ (a }}", "template_syntax", "1:7");
    fails("{{ a.  }}", "template_syntax", "1:8");
    fails("{{ 1. }}", "template_syntax", "1:7");
    fails("{{ [1, }}", "template_syntax", "1:8");
    fails("{{ and }}", "template_syntax", "1:4");
    fails("{{ a, b }}", "template_syntax", "1:5");
    fails("{{ x|default: }}", "template_syntax", "1:15");
}
